# Tests cart.sh: prints a line for each case, and fails if one of them fails.

cd "$(dirname "$0")" || exit 2
. ./cart.sh

failed=0

# expect CASE CENTS <CART
expect() {
    got=$(total)
    if [ "$got" = "$2" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1: $got cents, expected $2"
        failed=1
    fi
}

expect "an empty cart" 0 </dev/null

expect "one apple" 40 <<END
apple 40 1
END

expect "three apples" 120 <<END
apple 40 3
END

expect "three apples and a loaf" 390 <<END
apple 40 3
loaf 270 1
END

exit "$failed"
