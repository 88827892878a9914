//! Plans and engines of wolfpath.
