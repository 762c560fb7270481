//! `modekeeper symbols` and `modekeeper index`

use crate::support::sandbox::Sandbox;

const SHAPE: &str = "\
class Shape:
    def area(self):
        return 0


def draw():
    return Shape().area()
";

fn sandbox() -> Sandbox {
    Sandbox::with("src/shape.py", SHAPE)
}

#[test]
fn symbols_are_found_outlined_and_mapped() {
    let sandbox = sandbox();
    insta::assert_snapshot!(sandbox.ok(&["symbols", "find", "area"]), @"src/shape.py:2: method Shape/area  def area(self)");
    insta::assert_snapshot!(sandbox.ok(&["symbols", "outline", "src/shape.py"]), @r"
    1-3: class Shape
      2-3: def area(self)
    6-7: def draw()
    ");
    insta::assert_snapshot!(sandbox.ok(&["symbols", "refs", "Shape"]), @r"
    src/shape.py:1:7: class Shape:  definition
    src/shape.py:7:12: return Shape().area()  in draw
    ");
    let map = sandbox.ok(&["symbols", "map"]);
    assert!(map.starts_with("src/shape.py\n"), "{map}");
}

#[test]
fn programs_get_json() {
    let sandbox = sandbox();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        serde_json::from_str(&sandbox.ok(&arguments)).unwrap()
    };
    assert_eq!(json(&["symbols", "find", "draw"])[0]["start_line"], 6);
    let outline = json(&["symbols", "outline", "src/shape.py"]);
    assert_eq!(outline[1]["name_path"], "Shape/area");
    assert_eq!(json(&["symbols", "refs", "draw"])[0]["is_definition"], true);
    assert_eq!(json(&["symbols", "map"])["files_total"], 1);
    let index = json(&["index"]);
    assert_eq!(index["complete"], true);
    assert_eq!(index["symbols"], 3);
}

#[test]
fn the_index_is_kept_and_says_what_it_leaves_out() {
    let sandbox = sandbox();
    sandbox.write("binary.py", b"\0\x01\x02".as_slice());
    insta::assert_snapshot!(sandbox.ok(&["index", "--skipped"]), @r"
    files: 1
    symbols: 3
    skipped: 1
      binary.py  not text
    ");
    assert!(sandbox.state().join("index").is_dir());
    sandbox.write("src/new.py", "class Circle:\n    pass\n");
    let found = sandbox.ok(&["symbols", "find", "Circle"]);
    assert!(found.starts_with("src/new.py:1: class Circle"), "{found}");
}

#[test]
fn what_is_not_there_comes_with_what_is() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["symbols", "refs", "Shap"]);
    assert_eq!(ran.status.code(), Some(1));
    assert_eq!(
        ran.stderr,
        "error: There is no symbol `Shap`\nhint: the nearest names are: Shape\n"
    );
    let ran = sandbox.run(&["symbols", "outline", "src/shap.py"]);
    assert!(
        ran.stderr.contains("did you mean src/shape.py?"),
        "{ran:#?}"
    );
    let ran = sandbox.run(&["symbols", "find", "xyzzy"]);
    assert_eq!(
        (ran.status.code(), ran.stdout.as_str()),
        (Some(1), "no symbols\n")
    );
    let ran = sandbox.run(&["symbols", "find", "a", "--kind", "verb"]);
    assert!(
        ran.stderr.contains("`verb` is not a kind of symbol"),
        "{ran:#?}"
    );
}
