//! Zoo Code: shares Roo's project files, has a storage of its own.

pub(crate) const EXTENSION: &str = "zoocodeorganization.zoo-code";
