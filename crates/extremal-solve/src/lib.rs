//! Numbers: Newton, linear algebra, marching a scheme, reference integrators.
