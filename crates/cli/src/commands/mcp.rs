//! `mcp`: serves the data to an assistant, on standard input and output, until it closes them.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use crate::assistant::{AssistantServer, WorkFolder};
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::program::program;
use crate::whole_number;

/// Let an assistant find, fetch and read records (Model Context Protocol on stdin and stdout)
#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// The folder of all files that the assistant can read and write
    #[arg(value_name = "FOLDER", default_value = ".", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
    /// A fetch with more requests runs only if the assistant confirms at least their number
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = whole_number::at_least::<0>, allow_negative_numbers = true)]
    max_requests: u64,
    #[command(flatten)]
    connection: Connection,
}

impl Mcp {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let server = self.server(log, interrupt.clone()).await?;
        if io::stdin().is_terminal() {
            log.remark("waiting for messages of an assistant, which usually starts this command; Ctrl-C ends it");
        }
        interrupt.ends(Box::pin(serve(server))).await
    }

    pub(crate) async fn server(&self, log: Log, interrupt: Interrupt) -> Result<AssistantServer> {
        let folder = WorkFolder::open(&self.folder)?;
        let connected = self.connection.open_for_files(log, None).await?;
        Ok(AssistantServer { connected, folder, max_requests: self.max_requests, interrupt })
    }
}

async fn serve(server: AssistantServer) -> Result<()> {
    let service = Box::pin(server.serve(stdio())).await.map_err(|error| not_begun(&error))?;
    service.waiting().await.map_err(Failure::machine)?;
    Ok(())
}

/// Creates the failure if no assistant has begun to talk to the server.
fn not_begun(error: &ServerInitializeError) -> Failure {
    let own = program().name;
    Failure::usage(format!("no assistant on standard input: {error}"))
        .help(format!("a host, such as an editor or a chat program, starts `{own} mcp` and talks to it"))
}
