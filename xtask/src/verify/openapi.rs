//! Whether other tools can work with the OpenAPI description: validators, generators and a viewer.
//!
//! Each gets the output of `cargo xtask openapi`, in a scratch folder where Cargo builds. The clients of the generators
//! have to compile, and the viewer has to show every operation.

mod clients;
mod viewer;

use std::path::Path;

use codegen::{OpenApiFormat, OpenApiVersion};

use super::{Check, Program, call};
use crate::files;
use crate::paths;
use crate::terminal::say;

pub(super) const CHECK: Check = Check {
    name: "openapi",
    shows: "the OpenAPI description is valid, other generators make compiling clients of it, and a viewer shows it",
    needs: &[
        Program { probe: &["openapi-spec-validator", "--version"], install: "pip install openapi-spec-validator" },
        Program { probe: &["redocly", "--version"], install: "npm install --global @redocly/cli" },
        Program { probe: &["java", "-version"], install: "apt-get install --yes default-jre-headless" },
        Program { probe: &["openapi-generator-cli", "version"], install: "pip install openapi-generator-cli" },
        Program { probe: &["openapi-to-rust", "--version"], install: "cargo install openapi-to-rust --locked" },
        Program { probe: &["npm", "--version"], install: "apt-get install --yes npm" },
        Program { probe: &["chromium", "--version"], install: "apt-get install --yes chromium" },
    ],
    run: |_| run(),
};

fn run() -> Result<(), String> {
    let scratch = paths::target().join("verify-openapi");
    let described = Described::write(&scratch)?;
    for path in described.all() {
        call(&["openapi-spec-validator", &path])?;
    }
    call(&["redocly", "lint", &described.json_3_0, &described.json_3_1])?;
    let yaml_agrees =
        "import json, sys, yaml; sys.exit(json.load(open(sys.argv[1])) != yaml.safe_load(open(sys.argv[2])))";
    call(&["python3", "-c", yaml_agrees, &described.json_3_1, &described.yaml_3_1])?;
    clients::compile(&scratch.join("clients"), &described)?;
    viewer::show(&scratch.join("viewer"), &described.json_3_1)?;
    say("validators, generators and viewer agree with the description\n");
    Ok(())
}

/// The description on disk, by version and format.
struct Described {
    json_3_0: String,
    json_3_1: String,
    yaml_3_1: String,
}

impl Described {
    fn write(to: &Path) -> Result<Self, String> {
        let api = codegen::read(&paths::spec()).map_err(|diagnostics| diagnostics.to_string())?;
        let write = |name: &str, version, format| {
            let path = to.join(name);
            files::write(&path, &codegen::openapi(&api, version, format))?;
            Ok::<_, String>(path.display().to_string())
        };
        Ok(Self {
            json_3_0: write("3.0.json", OpenApiVersion::V3_0, OpenApiFormat::Json)?,
            json_3_1: write("3.1.json", OpenApiVersion::V3_1, OpenApiFormat::Json)?,
            yaml_3_1: write("3.1.yaml", OpenApiVersion::V3_1, OpenApiFormat::Yaml)?,
        })
    }

    fn all(&self) -> [String; 3] {
        [self.json_3_0.clone(), self.json_3_1.clone(), self.yaml_3_1.clone()]
    }
}
