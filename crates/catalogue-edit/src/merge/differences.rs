//! The differences between the params or fields of the catalogue and those of a draft.

use catalogue::spec::{Evidence, Range};

use super::compared_side::Member;
use super::setters::is_argument;
use crate::draft::DraftOrigin;
use crate::yaml_layout;

/// All differences of one kind.
pub(super) struct Difference {
    pub(super) kind: &'static str,
    /// The params or fields that differ, each with how it differs.
    pub(super) members: Vec<String>,
}

/// A kind of difference between a known and a drafted param or field of the same name.
#[derive(Clone, Copy)]
enum Aspect {
    Type,
    Required,
    NotRequired,
    Optional,
    ListFormat,
    Range,
    Default,
    Values,
}

/// The differences that only a description proves, because it lists all facts about an endpoint.
const OF_DESCRIPTIONS: [Aspect; 7] = [
    Aspect::Required,
    Aspect::NotRequired,
    Aspect::Optional,
    Aspect::ListFormat,
    Aspect::Range,
    Aspect::Default,
    Aspect::Values,
];

/// The kinds of differences that exist between two lists of params or fields.
pub(super) fn differences(known: &[Member], drafted: &[Member], origin: DraftOrigin) -> Vec<Difference> {
    let mut all = vec![
        Difference { kind: "not in the catalogue", members: missing(known, drafted) },
        of_aspect(Aspect::Type, known, drafted),
    ];
    if origin == DraftOrigin::Description {
        for aspect in OF_DESCRIPTIONS {
            all.push(of_aspect(aspect, known, drafted));
        }
        all.push(Difference { kind: "not in the description", members: missing(drafted, known) });
    }
    all.retain(|difference| !difference.members.is_empty());
    all
}

/// The member of a list that has the same name.
pub(super) fn same_name<'n>(list: &'n [Member], wanted: &Member) -> Option<&'n Member> {
    list.iter().find(|member| member.facts.name == wanted.facts.name)
}

/// The names that `all` has and `list` lacks.
fn missing(list: &[Member], all: &[Member]) -> Vec<String> {
    let mut names = Vec::new();
    for member in all {
        if same_name(list, member).is_none() {
            names.push(member.facts.name.to_string());
        }
    }
    names
}

fn of_aspect(aspect: Aspect, known: &[Member], drafted: &[Member]) -> Difference {
    let mut members = Vec::new();
    for new in drafted {
        let Some(known) = same_name(known, new) else { continue };
        if let Some(how) = aspect.compare(known, new) {
            members.push(format!("{}{how}", new.facts.name));
        }
    }
    Difference { kind: aspect.text(), members }
}

impl Aspect {
    fn text(self) -> &'static str {
        match self {
            Self::Type => "with another type",
            Self::Required => "required in the description",
            Self::NotRequired => "not required in the description",
            Self::Optional => "optional in the description",
            Self::ListFormat => "with another list format",
            Self::Range => "with another range",
            Self::Default => "with another default",
            Self::Values => "with values that are not in the catalogue",
        }
    }

    /// The text after the name of a member that differs in this aspect.
    fn compare(self, known: &Member, new: &Member) -> Option<String> {
        match self {
            Self::Type => other_type(known, new),
            Self::Required => without_text(is_newly_required(known, new)),
            Self::NotRequired => without_text(is_no_longer_required(known, new)),
            Self::Optional => without_text(is_newly_optional(known, new)),
            Self::ListFormat => other_list_format(known, new),
            Self::Range => other_range(known, new),
            Self::Default => other_default(known, new),
            Self::Values => new_values(known, new),
        }
    }
}

/// A difference about which the name of the member says everything.
fn without_text(differs: bool) -> Option<String> {
    if differs { Some(String::new()) } else { None }
}

fn other_type(known: &Member, new: &Member) -> Option<String> {
    let mut kinds = new.kinds.clone();
    if new.list_format().is_some() && known.list_format().is_none() {
        kinds.insert(0, "list");
    }
    for (known_kind, new_kind) in known.kinds.iter().zip(&kinds) {
        if is_contradiction(known_kind, new_kind) {
            return Some(in_both(&kinds.join(" of "), &known.kinds.join(" of ")));
        }
    }
    None
}

fn is_contradiction(known: &str, new: &str) -> bool {
    // A `number` also accepts integers.
    let is_accepted = known == "any" || new == "any" || (known == "number" && new == "integer");
    known != new && !is_accepted
}

fn is_newly_required(known: &Member, new: &Member) -> bool {
    let is_sent = known.facts.required.is_some() || known.facts.const_value.is_some();
    new.facts.required.is_some() && !is_sent
}

/// Of the known params, only arguments are compared, because the client requires no other param.
fn is_no_longer_required(known: &Member, new: &Member) -> bool {
    let is_sent = is_argument(&new.facts) || new.facts.const_value.is_some();
    is_argument(&known.facts) && !is_sent
}

/// A known field is compared only if it is documented, because any other field is an `Option` anyway.
fn is_newly_optional(known: &Member, new: &Member) -> bool {
    new.optional && !known.optional && known.facts.evidence == Some(Evidence::Documented)
}

fn other_list_format(known: &Member, new: &Member) -> Option<String> {
    let new_format = new.list_format()?;
    let known_format = known.list_format()?;
    if new_format == known_format { None } else { Some(in_both(new_format.word(), known_format.word())) }
}

fn other_range(known: &Member, new: &Member) -> Option<String> {
    let known_range = known.facts.range.as_deref().cloned().unwrap_or_default();
    let new_range = new.facts.range.as_deref().cloned().unwrap_or_default();
    // A `count` is never negative, so it needs no minimum.
    let has_other_min = *known.facts.ty != "count" && new_range.min.is_some() && new_range.min != known_range.min;
    let has_other_max = new_range.max.is_some() && new_range.max != known_range.max;
    if known.kinds == new.kinds && (has_other_min || has_other_max) {
        return Some(in_both(&shown_range(new), &shown_range(known)));
    }
    None
}

fn shown_range(member: &Member) -> String {
    match member.facts.range.as_deref() {
        Some(range) => yaml_layout::inline(&Range::written(range)),
        None => "none".to_owned(),
    }
}

fn other_default(known: &Member, new: &Member) -> Option<String> {
    let new_default = new.facts.default.as_ref()?;
    match &known.facts.default {
        Some(known_default) if known_default == new_default => None,
        Some(known_default) => Some(in_both(new_default, known_default)),
        None => Some(in_both(new_default, "none")),
    }
}

fn new_values(known: &Member, new: &Member) -> Option<String> {
    if known.values.is_empty() {
        return None;
    }
    let mut values = Vec::new();
    for value in &new.values {
        if !known.values.contains(value) {
            values.push(value.as_str());
        }
    }
    if values.is_empty() { None } else { Some(format!(" ({})", values.join(", "))) }
}

fn in_both(new: &str, known: &str) -> String {
    format!(" ({new} in the description, {known} in the catalogue)")
}
