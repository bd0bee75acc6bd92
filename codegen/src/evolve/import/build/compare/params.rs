//! Params that both know: what is said of one that endpoints share has to hold for all of them.

use super::Comparison;
use super::facts::Spot;
use crate::evolve::import::build::known::{self, ParamAt};
use crate::evolve::import::build::meetings::{MetParam, User};
use crate::evolve::import::build::params::written;
use crate::evolve::import::plan::{PlannedParam, Said, Several, Ty};
use crate::evolve::tree::Tree;
use crate::spanned::Text;
use crate::spec::{self, Evidence, TypeKind};
use crate::type_expr::TypeExpr;

impl Comparison<'_> {
    pub(super) fn param(&mut self, met: &MetParam) {
        let checked = self.checked;
        let Some(param) = met.at.param(checked) else { return };
        let (file, path) = met.at.place(checked);
        let of = met.users.first().map(|user| user.label.clone()).unwrap_or_default();
        let spot = Spot { file, path, name: format!("`{}`", param.name), of };
        let mut agrees = true;
        for user in &met.users {
            let said = &user.said;
            if let Some(differing) = self.differing(&param.ty, &said.ty, &said.said, said.default.as_deref()) {
                self.facts.differ(&spot.name, &user.label, differing);
                agrees = false;
            }
            if user.said.name != param.name {
                let text = format!("called `{}` in the description", user.said.name);
                self.facts.differ(&spot.name, &user.label, text);
            }
            let own = Spot { of: user.label.clone(), ..spot.clone() };
            self.ident(&own, param.ident.as_ref().map(|ident| ident.as_str()), user.said.said.ident.as_deref());
        }
        // What goes by another type says nothing of values of the known one.
        if agrees {
            self.values_of(&spot, param, met);
        }
        self.several(&spot, param, met);
        self.required(&spot, param, met);
        self.meaning(&spot, param, met);
        for user in &met.users {
            let own = Spot { of: user.label.clone(), ..spot.clone() };
            if let Some(known) = self.evidence_of(met.at, user, param) {
                self.evidence(&own, known, user.said.said.evidence.as_deref());
            }
        }
    }

    /// What it means, which only all who share it can say.
    fn meaning(&mut self, spot: &Spot, param: &spec::Param, met: &MetParam) {
        let said = |user: &User| (user.said.said.summary.clone(), user.said.said.notes.clone());
        let Some(first) = met.users.first() else { return };
        if self.is_covered(met) && met.users.iter().all(|user| said(user) == said(first)) {
            return self.texts(spot, (&param.unit, &param.summary, &param.notes), &first.said.said);
        }
        let known = (&param.summary, Some(&param.notes).filter(|notes| !notes.is_empty()));
        for user in &met.users {
            let (summary, notes) = said(user);
            let is_other = !summary.is_empty() && summary != *known.0;
            self.facts.untold(usize::from(is_other) + usize::from(notes.is_some() && notes.as_ref() != known.1));
        }
    }

    /// Default, bounds and what was served.
    fn values_of(&mut self, spot: &Spot, param: &spec::Param, met: &MetParam) {
        let users = || met.users.iter();
        let shared = (!self.is_covered(met)).then_some("which other endpoints share");
        let fits = users().filter_map(|user| user.said.default.as_deref()).all(|text| self.fits(param, text));
        let why_not = shared.or((!fits).then_some("where its type or range has no such value"));
        let one = |value: &Option<Text>| value.as_deref().cloned().map(Tree::Text);
        let of_default = |said: &PlannedParam| said.default.as_deref().map(|value| written(&said.ty, value));
        self.value_fact(spot, met, "default", one(&param.default), (&|anew| one(&anew.default), &of_default), why_not);
        let of_example = |said: &PlannedParam| said.said.example.as_deref().map(|value| written(&said.ty, value));
        // Two examples contradict each other in nothing.
        if param.example.is_none() {
            self.value_fact(spot, met, "example", None, (&|anew| one(&anew.example), &of_example), shared);
        }
        let served = |said: &PlannedParam| list_of(&said.ty, &said.served);
        self.value_fact(
            spot,
            met,
            "served",
            texts(&param.served),
            (&|anew| texts(anew.served.as_ref()?), &served),
            shared,
        );
        let works = |said: &PlannedParam| list_of(&said.ty, &said.works);
        self.value_fact(spot, met, "works", texts(&param.works), (&|anew| texts(anew.works.as_ref()?), &works), shared);
        let refused = |said: &PlannedParam| list_of(&said.ty, &said.refused);
        let anew = |anew: &spec::Use| texts(anew.refused.as_ref()?);
        self.value_fact(spot, met, "refused", texts(&param.refused), (&anew, &refused), shared);
        let ranges: Vec<(&str, &Said)> = users().map(|user| (user.label.as_str(), &user.said.said)).collect();
        let default = param.default.as_ref().and_then(|text| text.parse::<f64>().ok());
        let is_outside = |said: &Said| {
            default.is_some_and(|default| {
                said.min.is_some_and(|min| default < min) || said.max.is_some_and(|max| default > max)
            })
        };
        // What is only reported is never enforced, and the range of a param that is known better is.
        let is_known_better =
            users().any(|user| self.evidence_of(met.at, user, param).is_none_or(Evidence::is_enforced));
        let enforces = !self.evidence.is_enforced() && is_known_better;
        let why_not = shared
            .or(enforces.then_some("where it would be enforced"))
            .or(users().any(|user| is_outside(&user.said.said)).then_some("where the default is outside"));
        self.range(spot, &param.ty, param.range.as_deref(), &ranges, why_not);
    }

    /// A fact about values of a param; what an endpoint's entry says of it anew is compared for that endpoint alone.
    fn value_fact(
        &mut self,
        spot: &Spot,
        met: &MetParam,
        key: &'static str,
        known: Option<Tree>,
        (anew, said): (&dyn Fn(&spec::Use) -> Option<Tree>, &dyn Fn(&PlannedParam) -> Option<Tree>),
        why_not: Option<&str>,
    ) {
        let mut others = Vec::new();
        for user in &met.users {
            let said = (user.label.as_str(), said(&user.said));
            match self.said_anew(user).and_then(anew) {
                Some(here) => self.facts.fact(spot, key, Some(&here), &[said], None),
                None => others.push(said),
            }
        }
        self.facts.fact(spot, key, known.as_ref(), &others, why_not);
    }

    /// Whether the description tells of every endpoint that takes a param.
    pub(super) fn is_covered(&self, met: &MetParam) -> bool {
        let ParamAt::Shared(_) = met.at else { return true };
        let takes = self
            .checked
            .groups
            .iter()
            .enumerate()
            .flat_map(|(group, (_, spec))| (0..spec.endpoints.len()).map(move |endpoint| (group, endpoint)));
        let mut takes = takes.filter(|(group, endpoint)| {
            known::params(self.checked, *group, *endpoint)
                .is_some_and(|params| params.iter().any(|(at, _)| *at == met.at))
        });
        takes.all(|place| met.users.iter().any(|user| user.endpoint == Some(place)))
    }

    /// How a param is known on an endpoint.
    fn evidence_of(&self, at: ParamAt, user: &User, param: &spec::Param) -> Option<Evidence> {
        let inherited = match at {
            ParamAt::Own(group, endpoint, _) => Some(self.checked.groups[group].1.endpoints[endpoint].evidence),
            ParamAt::Shared(_) => None,
        };
        self.said_anew(user).and_then(|entry| entry.evidence).or(param.evidence).or(inherited)
    }

    /// Whether a default can be one of a known param.
    fn fits(&self, param: &spec::Param, text: &str) -> bool {
        let within = param.range.as_ref().zip(text.parse::<f64>().ok()).is_none_or(|(range, number)| {
            range.min.as_deref().is_none_or(|min| number >= *min)
                && range.max.as_deref().is_none_or(|max| number <= *max)
        });
        let is_one = match TypeExpr::parse(&param.ty) {
            Some(TypeExpr::Builtin(builtin)) => builtin.is_written(text),
            Some(TypeExpr::Name(name)) => {
                let ty = self.checked.service.types.iter().find(|ty| ty.name == name);
                let met = self.met.types.iter().filter(|(_, (met, _))| met == name);
                let mut new = met.flat_map(|(index, _)| &self.plan.types[*index].values);
                ty.is_some_and(|ty| {
                    ty.kind == TypeKind::Identifier || ty.values.iter().any(|known| known.value == text)
                }) || new.any(|value| value.value == text)
            }
            _ => false,
        };
        within && is_one
    }

    /// Whether several values can be sent.
    fn several(&mut self, spot: &Spot, param: &spec::Param, met: &MetParam) {
        for user in &met.users {
            let text = match (&param.list, &user.said.several) {
                (Some(_), Several::No) => "one value in the description, several here".to_owned(),
                (Some(here), Several::By(said)) if here != said => {
                    format!("list {said} in the description, {here} here")
                }
                (None, Several::Yes | Several::By(_)) => "several values in the description, one here".to_owned(),
                _ => continue,
            };
            self.facts.differ(&spot.name, &user.label, text);
        }
    }
}

/// Values of the catalogue, if there are any.
fn texts(values: &[Text]) -> Option<Tree> {
    (!values.is_empty()).then(|| Tree::List(values.iter().map(|value| Tree::Text(value.to_string())).collect()))
}

/// Values of the description, if there are any.
fn list_of(ty: &Ty, values: &[String]) -> Option<Tree> {
    (!values.is_empty()).then(|| Tree::List(values.iter().map(|value| written(ty, value)).collect()))
}
