# Adds up a shopping cart. A line of a cart is: name, price of one piece in cents, number of pieces.

# total <CART: the sum in cents
total() {
    sum=0
    while read -r name price count; do
        sum=$((sum + price))
    done
    echo "$sum"
}
