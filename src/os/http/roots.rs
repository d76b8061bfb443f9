//! Whom to trust besides the system: `ca_file` of the configuration, `SSL_CERT_FILE` and `SSL_CERT_DIR` of the environment.
//!
//! Nothing is read before a client needs TLS. The surprise: where a variable is set, the system's own bundle is read here
//! too. The verifier below reads those variables as well, and then forgets the system's: a company's certificate
//! beside the public ones should not cost the public ones.

use std::path::{Path, PathBuf};
use std::slice;

use reqwest::{Certificate, Client};

use super::HttpError;
use crate::os::env::Env;
use crate::os::file::{FileError, read_regular};

const CA_FILE: &str = "ca_file";
const FILE_VARIABLE: &str = "SSL_CERT_FILE";
const DIRECTORY_VARIABLE: &str = "SSL_CERT_DIR";

/// A bundle of all public roots has a quarter of this.
const MAX_BYTES: u64 = 1024 * 1024;

/// Where systems keep their bundle: Debian, Fedora, openSUSE, Alpine and the BSDs.
const SYSTEM: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// Certificates (PEM) to trust besides the system's, by who names them; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    configured: Option<PathBuf>,
    file: Option<PathBuf>,
    directories: Vec<PathBuf>,
}

impl Roots {
    /// What `SSL_CERT_FILE` and `SSL_CERT_DIR` name; the latter may list several.
    pub fn from_env(env: &Env) -> Self {
        let directories = env.get(DIRECTORY_VARIABLE).map(std::env::split_paths).into_iter().flatten();
        Self {
            configured: None,
            file: env.path(FILE_VARIABLE).map(Path::to_owned),
            directories: directories.filter(|path| !path.as_os_str().is_empty()).collect(),
        }
    }

    /// The same and `ca_file` of the configuration.
    #[must_use]
    pub fn and_file(self, configured: Option<PathBuf>) -> Self {
        Self { configured, ..self }
    }

    /// Reads them all. A file that is named must hold certificates; in a directory other files may lie about.
    pub(super) fn load(&self) -> Result<Vec<Certificate>, HttpError> {
        let mut all = Vec::new();
        for (name, path) in [(CA_FILE, &self.configured), (FILE_VARIABLE, &self.file)] {
            if let Some(path) = path {
                all.extend(named(name, path)?);
            }
        }
        for directory in &self.directories {
            all.extend(within(directory)?);
        }
        if self.file.is_some() || !self.directories.is_empty() {
            all.extend(system());
        }
        Ok(all)
    }
}

/// The system's bundle; nothing where it keeps none.
fn system() -> Vec<Certificate> {
    SYSTEM.iter().find_map(|path| certificates(Path::new(path)).ok().flatten()).unwrap_or_default()
}

fn named(name: &'static str, path: &Path) -> Result<Vec<Certificate>, HttpError> {
    let found = certificates(path).map_err(|source| HttpError::Unread { name, source })?;
    found.ok_or_else(|| HttpError::NoCertificate { name, path: path.to_owned() })
}

/// The certificates of the files that lie in a directory.
fn within(directory: &Path) -> Result<Vec<Certificate>, HttpError> {
    let unread =
        |source| HttpError::Directory { name: DIRECTORY_VARIABLE, path: directory.to_owned(), source };
    let entries = std::fs::read_dir(directory).map_err(unread)?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    Ok(paths.filter_map(|path| certificates(&path).ok().flatten()).flatten().collect())
}

/// The certificates of a file; none where it holds something else. An odd one among others is passed over.
fn certificates(path: &Path) -> Result<Option<Vec<Certificate>>, FileError> {
    let pem = read_regular(path, MAX_BYTES)?;
    let mut found = Certificate::from_pem_bundle(&pem).unwrap_or_default();
    if !are_sound(&found) {
        found.retain(|one| are_sound(slice::from_ref(one)));
    }
    Ok(Some(found).filter(|found| !found.is_empty()))
}

/// Whether TLS can read them. Only a client can tell; this one asks nobody.
fn are_sound(certificates: &[Certificate]) -> bool {
    Client::builder().no_proxy().tls_certs_only(certificates.iter().cloned()).build().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_adds_to_the_systems_certificates_and_takes_none_away() {
        let system = system();
        let bundle = SYSTEM.iter().find(|path| Path::new(path).exists());
        assert_eq!(system.is_empty(), bundle.is_none());
        let count = |env: &[(&str, &str)]| {
            Roots::from_env(&Env::from_pairs(env.iter().copied())).load().unwrap().len()
        };
        assert_eq!(count(&[]), 0, "the verifier has them itself");
        if let Some(bundle) = bundle {
            assert_eq!(count(&[("SSL_CERT_FILE", bundle)]), 2 * system.len());
        }
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(count(&[("SSL_CERT_DIR", empty.path().to_str().unwrap())]), system.len());
    }
}
