//! Answers beside closed forms and beside each other.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use extremal_desk::{Desk, DeskProgress, Reply};
use serde_json::{Value, json};

fn asked(desk: &mut Desk, question: &Value) -> Reply {
    desk.answer(&question.to_string(), &mut |_| ControlFlow::Continue(()))
}

fn built_in(name: &str) -> String {
    let reply = asked(&mut Desk::default(), &json!({ "ask": "gallery-model", "name": name }));
    reply.content["text"].as_str().unwrap().to_owned()
}

/// A column of a block of an answer.
fn column<'r>(reply: &'r Reply, block: &Value, column: usize) -> &'r [f64] {
    let [at, rows] = ["at", "rows"].map(|field| block[field].as_u64().unwrap() as usize);
    &reply.numbers[at + column * rows..at + (column + 1) * rows]
}

const OSCILLATOR: &str = "[parameters]\nk = 4\n[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2/2 - k*x^2/2\"\n[simulation]\nmethod = \"galerkin(3)\"\nstep = 0.01\nuntil = 1\n";

#[test]
fn other_values_are_those_of_another_model() {
    let mut desk = Desk::default();
    for (name, value, k, x) in [("k", 9.0, 9.0, 1.0), ("x", 2.5, 4.0, 2.5), ("k", 4.0, 4.0, 1.0)] {
        let reply = asked(&mut desk, &json!({ "ask": "run", "text": OSCILLATOR, "values": [[name, value]] }));
        let end = reply.content["summary"]["end"]["q"]["x"].as_f64().unwrap();
        // Of order 6, with 100 steps of 0.01: the error is below (w h)^6 times a small constant.
        assert!((end - x * f64::sqrt(k).cos()).abs() < 1e-9, "{name} = {value}: {end}");
        let stated = OSCILLATOR.replace("k = 4", &format!("k = {k}")).replace("x = 1", &format!("x = {x}"));
        let stated = asked(&mut Desk::default(), &json!({ "ask": "run", "text": stated }));
        assert_eq!(reply.content["summary"]["end"], stated.content["summary"]["end"], "the same bits");
        assert_eq!(reply.numbers, stated.numbers);
    }
}

#[test]
fn what_shapes_a_model_is_a_value_too() {
    let text = built_in("chain-pendulum");
    let reply =
        asked(&mut Desk::default(), &json!({ "ask": "run", "text": text, "values": [["n", 3]], "until": "0.1" }));
    assert_eq!(reply.content["summary"]["end"]["q"].as_object().unwrap().len(), 3, "{}", reply.content);
}

#[test]
fn a_drawing_follows_the_values() {
    let text = built_in("double-pendulum");
    let question = json!({ "ask": "run", "text": text, "values": [["l1", 3.0], ["θ1", 0.5]], "until": "0.1" });
    let reply = asked(&mut Desk::default(), &question);
    let drawing = &reply.content["drawing"];
    let place = drawing["points"].as_array().unwrap().iter().position(|name| name == "A").unwrap();
    let (x, y) =
        (column(&reply, &drawing["frames"], 3 * place)[0], column(&reply, &drawing["frames"], 3 * place + 1)[0]);
    assert!((x - 3.0 * 0.5f64.sin()).abs() < 1e-15 && (y + 3.0 * 0.5f64.cos()).abs() < 1e-15, "{x}, {y}");
}

#[test]
fn an_optimum_has_the_cost_of_its_closed_form() {
    // Least ∫u² from rest to rest over a distance of 1 in a time of 1: 12.
    let text = "[coordinates]\nx = {}\n[controls]\nu = \"x\"\n[dynamics]\nlagrangian = \"x'^2/2\"\n[objective]\nrunning = \"u^2\"\n\
                [boundary]\nduration = 1\nsteps = 200\nstart = { x = 0, \"x'\" = 0 }\nend = { x = 1, \"x'\" = 0 }\n";
    let reply = asked(&mut Desk::default(), &json!({ "ask": "solve", "text": text }));
    assert_eq!(reply.content["solved"], true, "{}", reply.content);
    let cost = reply.content["summary"]["objective"].as_f64().unwrap();
    // Second order with 200 steps: the relative error is of the size of h² = 2.5e-5.
    assert!((cost - 12.0).abs() < 12.0 * 1e-4, "{cost}");
}

#[test]
fn a_map_has_a_number_for_every_member() {
    let mut seen = 0;
    let question =
        json!({ "ask": "sweep", "text": OSCILLATOR, "axes": ["k=1:9:3", "x=1:2:5"], "until": PI.to_string() });
    let reply = Desk::default().answer(&question.to_string(), &mut |DeskProgress { done, .. }| {
        seen = done;
        ControlFlow::Continue(())
    });
    assert_eq!(seen, 15);
    let names: Vec<&str> = reply.content["names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let of =
        |name: &str| column(&reply, &reply.content["numbers"], names.iter().position(|known| *known == name).unwrap());
    for ((k, start), end) in of("k").iter().zip(of("x(0)")).zip(of("x")) {
        assert!((end - start * (k.sqrt() * PI).cos()).abs() < 1e-7, "{k}, {start}: {end}");
    }
    let many = asked(
        &mut Desk::default(),
        &json!({ "ask": "sweep", "text": OSCILLATOR, "axes": ["k=1:9:1000", "x=1:2:1000"] }),
    );
    assert!(many.content["error"].as_str().unwrap().contains("too many"), "{}", many.content);
}

#[test]
fn methods_are_compared_with_the_truth() {
    let first = json!({ "text": OSCILLATOR, "method": "midpoint", "step": "0.02" });
    let second = json!({ "text": OSCILLATOR, "method": "rk4", "step": "0.02" });
    let reply = asked(&mut Desk::default(), &json!({ "ask": "compare", "first": first, "second": second }));
    let order = |method: usize| reply.content["methods"][method]["rows"][1]["orders"]["x"].as_f64().unwrap();
    assert!((order(0) - 2.0).abs() < 0.1 && (order(1) - 4.0).abs() < 0.2, "{}", reply.content);
}

#[test]
fn equations_and_what_is_conserved_are_typeset() {
    let mut desk = Desk::default();
    let equations = asked(&mut desk, &json!({ "ask": "equations", "text": OSCILLATOR }));
    let all = equations.content.to_string();
    assert!(all.contains("<mover accent=\\\"true\\\"><mi>x</mi><mo>¨</mo></mover>"), "{all}");
    let analysis = asked(&mut desk, &json!({ "ask": "analyze", "text": OSCILLATOR }));
    assert_eq!(analysis.content["conserved"][0]["name"], "energy", "{}", analysis.content);
}

#[test]
fn exports_are_files() {
    let mut desk = Desk::default();
    let mut file = |target: &str| {
        let reply = asked(&mut desk, &json!({ "ask": "export", "text": OSCILLATOR, "target": target }));
        reply.content["text"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("{}", reply.content))
    };
    let csv = file("csv");
    assert_eq!((csv.lines().count(), csv.lines().next().unwrap().split(',').next()), (102, Some("t")));
    assert!(
        file("svg").starts_with("<svg") && file("c").contains("double") && file("latex").contains(r"\begin{document}")
    );
    assert_eq!(serde_json::from_str::<Value>(&file("json")).unwrap()["rows"].as_array().unwrap().len(), 101);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let mut desk = Desk::default();
    let mut error = |question: Value| asked(&mut desk, &question).content["error"].as_str().unwrap().to_owned();
    assert!(error(json!({ "ask": "nothing" })).starts_with("this is no request"));
    assert!(error(json!({ "ask": "run", "text": "" })).len() > 5);
    assert!(error(json!({ "ask": "run", "text": OSCILLATOR, "method": "midpont" })).contains("midpoint"));
    assert!(error(json!({ "ask": "run", "text": OSCILLATOR, "values": [["q", 1]] })).contains("`q`"));
    assert!(error(json!({ "ask": "solve", "text": OSCILLATOR })).len() > 5);
    assert!(error(json!({ "ask": "export", "text": OSCILLATOR, "target": "cobol" })).contains("cobol"));
    assert!(error(json!({ "ask": "gallery-model", "name": "nobody" })).contains("nobody"));
}

#[test]
fn the_asker_can_end_the_work() {
    let question = json!({ "ask": "run", "text": OSCILLATOR, "step": "1e-4", "until": "1000" });
    let mut looks = 0;
    let reply = Desk::default().answer(&question.to_string(), &mut |_| {
        looks += 1;
        if looks > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(reply.content["summary"]["status"], "interrupted");
}
