//! What a description describes, in the catalogue's words but before anything has a Rust name.

use codegen::model::ListStyle;

use crate::merge::Several;
use crate::tree::Tree;

/// Everything that is to be in the catalogue.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) types: Vec<PlannedType>,
    pub(super) records: Vec<PlannedRecord>,
    /// Params that operations refer to.
    pub(super) shared: Vec<PlannedParam>,
    pub(super) endpoints: Vec<PlannedEndpoint>,
    /// Groups by the files that they stand in.
    pub(super) groups: Vec<PlannedGroup>,
    /// What the paths of the catalogue begin with, and the server of the description ends in.
    pub(super) prefix: String,
    /// Whether the description is made from a catalogue.
    pub(super) is_ours: bool,
    /// The records that the envelope's metadata is described as.
    pub(super) metadata: Vec<usize>,
    /// The field of the metadata that lists what is not covered.
    pub(super) unsupported: Option<String>,
}

#[derive(Debug)]
pub(super) struct PlannedGroup {
    pub(super) module: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) aliases: Vec<String>,
    pub(super) notes: Option<String>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Builtin(&'static str),
    /// By index.
    Named(usize),
    /// By index.
    Record(usize),
    List(Box<Ty>),
    /// An object whose keys are data.
    Map(Box<Ty>),
    /// A value of a list or a map that can be null.
    Option(Box<Ty>),
}

impl Ty {
    /// What it is a list or a map of, however deep that is; the type itself if it is neither.
    pub(super) fn innermost(&self) -> &Self {
        match self {
            Self::List(item) | Self::Map(item) | Self::Option(item) => item.innermost(),
            other => other,
        }
    }

    /// The record that it is or holds.
    pub(super) fn record(&self) -> Option<usize> {
        match self.innermost() {
            Self::Record(index) => Some(*index),
            _ => None,
        }
    }

    /// The same of moments, which OpenAPI has as numbers.
    pub(super) fn of_moments(self) -> Self {
        match self {
            Self::List(item) => Self::List(Box::new(item.of_moments())),
            Self::Map(item) => Self::Map(Box::new(item.of_moments())),
            Self::Option(item) => Self::Option(Box::new(item.of_moments())),
            _ => Self::Builtin("timestamp"),
        }
    }

    /// A value of a list or a map, which may be null.
    pub(super) fn nullable(self, nullable: bool) -> Self {
        if nullable && self != Self::Builtin("any") { Self::Option(Box::new(self)) } else { self }
    }

    /// How many lists and maps stand within each other.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::List(item) | Self::Map(item) => 1 + item.depth(),
            Self::Option(given) => given.depth(),
            _ => 0,
        }
    }

    /// Whether bounds make sense.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Builtin("integer" | "count" | "number"))
    }
}

/// A bound of a range. A whole number keeps digits that a fraction would lose.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Bound {
    pub(super) number: f64,
    pub(super) whole: Option<i128>,
}

/// What is said of a value beside its type.
#[derive(Clone, Debug, Default)]
pub(super) struct Annotations {
    pub(super) summary: String,
    pub(super) ident: Option<String>,
    pub(super) unit: Option<String>,
    /// What a moment is written as, if it is text.
    pub(super) format: Option<String>,
    pub(super) example: Option<String>,
    pub(super) notes: Option<String>,
    pub(super) evidence: Option<String>,
    /// How long the step is that a value names.
    pub(super) duration: Option<String>,
    pub(super) min: Option<Bound>,
    pub(super) max: Option<Bound>,
}

impl Annotations {
    /// Its bounds as the catalogue writes them.
    pub(super) fn range(&self) -> Option<Tree> {
        let written =
            |bound: Bound| Tree::Number(bound.whole.map_or(bound.number.to_string(), |whole| whole.to_string()));
        let range = Tree::map().with_some("min", self.min.map(written)).with_some("max", self.max.map(written));
        (range != Tree::map()).then_some(range)
    }

    /// What is said here, and elsewhere what is not.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            summary: if self.summary.is_empty() { other.summary } else { self.summary },
            ident: self.ident.or(other.ident),
            unit: self.unit.or(other.unit),
            format: self.format.or(other.format),
            example: self.example.or(other.example),
            notes: self.notes.or(other.notes),
            evidence: self.evidence.or(other.evidence),
            duration: self.duration.or(other.duration),
            min: self.min.or(other.min),
            max: self.max.or(other.max),
        }
    }
}

#[derive(Debug)]
pub(super) struct PlannedType {
    /// What it would be called.
    pub(super) name: String,
    /// What it stands in, to be put before a name that is taken.
    pub(super) owner: String,
    /// Where it stands among the components.
    pub(super) rank: usize,
    pub(super) is_open: bool,
    pub(super) said: Annotations,
    pub(super) values: Vec<PlannedValue>,
    /// How an identifier is built, as the catalogue writes it.
    pub(super) shapes: Option<serde_yaml::Value>,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedValue {
    pub(super) value: String,
    pub(super) said: Annotations,
}

#[derive(Debug)]
pub(super) struct PlannedRecord {
    pub(super) name: String,
    /// What it stands in, to be put before a name that is taken.
    pub(super) owner: String,
    /// Where it stands among the components.
    pub(super) rank: usize,
    /// A reference or a place, by which it is found again.
    pub(super) origin: String,
    pub(super) said: Annotations,
    pub(super) fields: Vec<PlannedField>,
    /// Whether its fields have places instead of names.
    pub(super) positional: bool,
    /// Whether it stands in what all groups share.
    pub(super) is_shared: bool,
    /// How many fields refer to it.
    pub(super) uses: usize,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedField {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) optional: bool,
    pub(super) said: Annotations,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedParam {
    /// The name of the component, for a shared one.
    pub(super) id: String,
    /// Where it stands among the components.
    pub(super) rank: usize,
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) several: Several,
    /// How several are written, if not with commas between them.
    pub(super) list_as: Option<ListStyle>,
    /// The one value that is ever sent.
    pub(super) fixed: Option<String>,
    pub(super) in_path: bool,
    pub(super) required: Option<String>,
    pub(super) default: Option<String>,
    pub(super) served: Vec<String>,
    pub(super) works: Vec<String>,
    pub(super) refused: Vec<String>,
    pub(super) single: Option<String>,
    pub(super) said: Annotations,
}

/// A param as an endpoint takes it.
#[derive(Clone, Debug)]
pub(super) enum TakenParam {
    /// By index among the shared ones.
    Shared(usize),
    Own(Box<PlannedParam>),
}

#[derive(Debug, Default)]
pub(super) enum PlannedBody {
    #[default]
    Unknown,
    /// A record by index, if it is known, and the field of its time as far as it is said.
    Series(Option<usize>, Option<String>),
    Object(usize),
    /// A value of a type.
    Value(Ty),
}

impl PlannedBody {
    /// The record of one of its entries, or of the whole.
    pub(super) fn record(&self) -> Option<usize> {
        match self {
            Self::Series(record, _) => *record,
            Self::Object(record) => Some(*record),
            Self::Value(ty) => ty.record(),
            Self::Unknown => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct PlannedEndpoint {
    /// The group's file without its ending.
    pub(super) group: String,
    pub(super) name: String,
    /// Whether the description itself says in which group it is, and what it is called.
    pub(super) is_tagged: bool,
    pub(super) is_named: bool,
    pub(super) aliases: Vec<String>,
    /// `None` where only the name is known.
    pub(super) path: Option<String>,
    pub(super) said: Annotations,
    /// `None` where nobody knows them.
    pub(super) params: Option<Vec<TakenParam>>,
    /// Names of all params that the description lists, taken over or not.
    pub(super) told: Vec<String>,
    pub(super) body: PlannedBody,
    pub(super) body_evidence: Option<String>,
    pub(super) time_unit: Option<String>,
    /// The same of its format.
    pub(super) time_format: Option<String>,
    pub(super) deprecated: Option<String>,
    /// How its history is walked, where that differs from the service.
    pub(super) history: Option<Tree>,
}
