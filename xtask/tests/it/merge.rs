//! Tests that merge two branches, each of which adds an endpoint. If the additions are in different places, no file
//! conflicts, and the merged files are those that codegen emits. Otherwise codegen reports the conflict.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::SERVICE;

/// Returns a group with endpoints of these names. Their bodies are unknown, so the pages that list unknown facts change
/// too.
fn group(title: &str, endpoints: &[&str]) -> String {
    let entries = endpoints.iter().map(|name| {
        let path = name.to_lowercase();
        format!(
            "- name: {name}\n  path: /{path}\n  evidence: documented\n  summary: Example data of `{path}`.\n  \
             params: []\n  body: unknown\n\n"
        )
    });
    format!("title: {title}\nsummary: Example data.\nendpoints:\n{}", entries.collect::<String>())
}

/// A repository with a catalogue and its client.
struct Repository(PathBuf);

impl Repository {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("merge").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("spec")).expect("a new folder");
        let repository = Self(folder);
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.write("service", SERVICE);
        repository.write("books", &group("Books", &["Depth", "Spread"]));
        repository.write("market", &group("Market", &["Basis", "Volume"]));
        repository.commit();
        repository
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.join(format!("spec/{file}.yaml")), text).expect("a file");
    }

    fn git(&self, arguments: &[&str]) -> Output {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(identity).args(arguments).current_dir(&self.0).output();
        output.expect("git runs")
    }

    fn codegen(&self, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["codegen", "--spec", "spec", "--out", "client"]).args(more).current_dir(&self.0);
        command.output().expect("xtask runs")
    }

    /// Emits the client and commits everything.
    fn commit(&self) {
        let output = self.codegen(&[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(self.git(&["add", "--all"]).status.success());
        assert!(self.git(&["commit", "--quiet", "--message", "Change"]).status.success());
    }

    /// Creates two branches, changes a file on each, merges one into the other, and returns the conflicting files.
    fn merge(&self, one: (&str, &str), other: (&str, &str)) -> Vec<String> {
        self.git(&["branch", "other"]);
        self.write(one.0, one.1);
        self.commit();
        self.git(&["checkout", "--quiet", "other"]);
        self.write(other.0, other.1);
        self.commit();
        self.git(&["merge", "--quiet", "--no-edit", "main"]);
        let conflicts = self.git(&["diff", "--name-only", "--diff-filter=U"]).stdout;
        String::from_utf8(conflicts).expect("names").lines().map(str::to_owned).collect()
    }

    fn assert_clean(&self) {
        let output = self.codegen(&["--check"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Merges two additions. No file must conflict, and the merged files must be those that codegen emits.
fn check(name: &str, one: (&str, &str), other: (&str, &str)) {
    let repository = Repository::new(name);
    let conflicts = repository.merge(one, other);
    assert!(conflicts.is_empty(), "{conflicts:?}");
    repository.assert_clean();
}

/// Draws numbers below a bound, by a linear congruential generator.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// Returns an entry for an endpoint of this name, with drawn params and a drawn body. The path, the params and the body
/// are unknown only if `may_be_unknown`.
fn entry(name: &str, draw: &mut Draw, may_be_unknown: bool) -> String {
    let path = name.to_lowercase();
    let params = ["[]", "[coin]", "[coin, limit]", "[limit, {name: depth, type: count, range: {min: 1}}]", "unknown"];
    let bodies = [
        format!("{{object: [{{name: {path}, type: number, summary: In coins.}}]}}"),
        format!("{{series: [{{name: time, type: timestamp}}, {{name: {path}, type: number, unit: USD}}]}}"),
        "{series: unknown}".to_owned(),
        "unknown".to_owned(),
    ];
    let (params, bodies) = if may_be_unknown { (&params[..], &bodies[..]) } else { (&params[..4], &bodies[..2]) };
    let (params, body) = (params[draw.below(params.len())], &bodies[draw.below(bodies.len())]);
    let path = if may_be_unknown && draw.below(5) == 0 { "unknown".to_owned() } else { format!("/{path}") };
    format!(
        "- name: {name}\n  path: {path}\n  evidence: documented\n  summary: Example data of {name}.\n  \
         params: {params}\n  body: {body}\n\n"
    )
}

#[test]
fn additions_in_drawn_pairs_of_places_agree() {
    let service = format!(
        "{SERVICE}params:\n- {{name: coin, type: string, required: reported, evidence: reported}}\n\
         - {{name: limit, type: count, default: 50, evidence: documented}}\n"
    );
    let mut draw = Draw(7);
    for pair in 0..4 {
        let names = ["Basis", "Premium", "Spread", "Volume", "Walls", "Yield"];
        let known: Vec<String> = names[..2 + draw.below(5)].iter().map(|name| entry(name, &mut draw, false)).collect();
        // One branch adds an entry at `first`, the other at a later place.
        let first = draw.below(known.len());
        let second = first + 1 + draw.below(known.len() - first);
        let group = |entries: &[String]| format!("title: Market\nendpoints:\n{}", entries.concat());
        let mut with = |place: usize, name: &str| {
            let mut entries = known.clone();
            entries.insert(place, entry(name, &mut draw, true));
            group(&entries)
        };
        let (one, other) = (with(first, "Accounts"), with(second, "Trades"));
        let repository = Repository::new(&format!("drawn_{pair}"));
        repository.write("service", &service);
        repository.write(
            "books",
            &group(&["- {name: Depth, path: /depth, evidence: documented, params: [coin, limit], body: unknown}\n"
                .to_owned()]),
        );
        repository.write("market", &group(&known));
        repository.commit();
        let conflicts = repository.merge(("market", &one), ("market", &other));
        assert!(conflicts.is_empty(), "pair {pair}: {conflicts:?}");
        repository.assert_clean();
    }
}

#[test]
fn additions_to_two_groups_agree() {
    let one = group("Books", &["Depth", "Spread", "Walls"]);
    let other = group("Market", &["Basis", "Funding", "Volume"]);
    check("two_groups", ("books", &one), ("market", &other));
}

#[test]
fn two_new_groups_agree() {
    let (one, other) = (group("Arbitrage", &["Premium"]), group("Trades", &["Tape"]));
    check("new_groups", ("arbitrage", &one), ("trades", &other));
}

#[test]
fn additions_in_two_parts_of_one_group_agree() {
    let one = group("Market", &["Accounts", "Basis", "Volume"]);
    let other = group("Market", &["Basis", "Volume", "Walls"]);
    check("one_group", ("market", &one), ("market", &other));
}

#[test]
fn additions_in_one_line_conflict_in_the_catalogue_and_codegen_resolves_the_rest() {
    let repository = Repository::new("one_line");
    let one = group("Market", &["Basis", "Volume", "Tape"]);
    let other = group("Market", &["Basis", "Volume", "Walls"]);
    let conflicts = repository.merge(("market", &one), ("market", &other));
    assert!(conflicts.contains(&"spec/market.yaml".to_owned()), "{conflicts:?}");
    let output = repository.codegen(&[]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("unresolved merge conflict") && message.contains("spec/market.yaml"), "{message}");
    repository.write("market", &group("Market", &["Basis", "Volume", "Walls", "Tape"]));
    repository.commit();
    repository.assert_clean();
}
