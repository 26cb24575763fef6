use extremal::mechanics::analysis::*;
use extremal::{Model, system_of};
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let all: Vec<String> =
        if names.is_empty() { extremal::gallery::names().map(|s| s.to_string()).collect() } else { names };
    for name in all {
        let text = extremal::gallery::text(&name)
            .map(|s| s.to_string())
            .unwrap_or_else(|| std::fs::read_to_string(&name).unwrap());
        let model = Model::from_toml(&text).unwrap();
        let system = system_of(&model);
        let g = model.graph();
        let exact: Vec<_> =
            model.parameters().iter().filter_map(|p| Some((g.expr(p.symbol), p.exact.clone()?))).collect();
        let symbols: Vec<_> = model.parameters().iter().map(|p| g.expr(p.symbol)).collect();
        let clock = std::time::Instant::now();
        let c = conserved_quantities(&system, None, &Parameters { symbols, exact }, SearchBounds::default());
        println!(
            "== {name}: degree {} candidates {} of {} generators, {:?}; {} of {} independent",
            c.space.degree,
            c.space.candidates,
            c.space.generators.len(),
            clock.elapsed(),
            c.independent,
            c.most
        );
        for i in &c.found {
            println!(
                "   {:<30} {} {:?} {}   [{:?}] {:?}",
                i.name,
                if i.general { "general" } else { "special" },
                i.proof,
                i.expression.text().limit(200),
                i.symmetry,
                i.theorem
            );
        }
    }
}
