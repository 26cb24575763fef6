use extremal::{Model, system_of};
use extremal::mechanics::analysis::*;
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let all: Vec<String> = if names.is_empty() { extremal::gallery::names().map(|s| s.to_string()).collect() } else { names };
    for name in all {
        let text = extremal::gallery::text(&name).map(|s| s.to_string()).unwrap_or_else(|| std::fs::read_to_string(&name).unwrap());
        let model = Model::from_toml(&text).unwrap();
        let system = system_of(&model);
        let g = model.graph();
        let fixed: Vec<_> = model.parameters().iter().filter_map(|p| Some((g.expr(p.symbol), p.exact.clone()?))).collect();
        let free: Vec<_> = model.parameters().iter().map(|p| g.expr(p.symbol)).collect();
        let clock = std::time::Instant::now();
        let energy = system.energy();
        let known = [energy];
        let known = if system.force.iter().all(|f| f.is_zero()) && !system.lagrangian.depends_on(&[system.t]) { &known[..] } else { &[] };
        let (found, space) = try_search(&system, &fixed, &free, known, SearchBounds::default());
        println!("== {name}: degree {} candidates {} of {} generators, {:?}", space.degree, space.candidates, space.generators.len(), clock.elapsed());
        for i in &found { println!("   {} {}", if i.general {"general"} else {"special"}, i.expression().unwrap().text().limit(300)); }
    }
}
