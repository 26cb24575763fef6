//! Orders of methods, measured.

use extremal::{Error, Method, Model};

pub(crate) fn main() -> Result<(), Error> {
    let methods = [Method::Left, Method::Midpoint, Method::galerkin(2), Method::Rk4];
    let rows = Model::gallery("harmonic-oscillator")?.compare().methods(methods).steps([0.1, 0.05]).run()?;
    for row in rows.iter().filter(|row| row.orders[0].is_some()) {
        println!("{:12} error {:.1e}, order {:.2}", row.method, row.errors[0].1, row.orders[0].unwrap_or(f64::NAN));
    }
    Ok(())
}
