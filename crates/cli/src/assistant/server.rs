//! The server of an assistant: a call of a tool → the text of its answer, or an error that the assistant can correct.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use super::answer::{MAX_TOKENS, limited, notes};
use super::arguments::Arguments;
use super::fetch::{self, fetch};
use super::progress_notes::ProgressNotifier;
use super::stored_file::{ROWS_ARGUMENTS, read_rows, report};
use super::tools::{DESCRIBE, FETCH, FIND, INSTRUCTIONS, REPORT, ROWS, SANDBOX, tools};
use super::work_folder::WorkFolder;
use crate::connection::Connected;
use crate::endpoint_list::{by_group, found, nothing_found};
use crate::endpoint_page::page;
use crate::failure::{ExitKind, Failure, Result};
use crate::find_endpoint::find;
use crate::interrupt::Interrupt;
use crate::log::{self, Log};
use crate::notation::{Notation, within};
use crate::program::program;

/// The width of the lines of an answer, which an assistant does not need to be broken.
const WIDTH: usize = 10_000;

/// Answers the calls of an assistant with one client, so that all calls share its rate limit.
#[derive(Debug)]
pub(crate) struct AssistantServer {
    pub(crate) connected: Connected,
    pub(crate) folder: WorkFolder,
    /// The number of requests above which a fetch must be confirmed.
    pub(crate) max_requests: u64,
    pub(crate) interrupt: Interrupt,
}

/// What a tool has returned.
struct Answered {
    text: String,
    /// Why the text is not all that was asked for.
    failure: Option<Failure>,
}

impl Answered {
    fn of(text: String) -> Self {
        Self { text, failure: None }
    }
}

/// The endpoints that have all words.
fn endpoints(words: &str) -> Result<String> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let found = found(&words, false);
    if found.is_empty() {
        return Err(nothing_found(&words));
    }
    Ok(anstream::adapter::strip_str(&by_group(&found, WIDTH)).to_string())
}

impl AssistantServer {
    async fn answer(&self, tool: &str, given: JsonObject, context: &RequestContext<RoleServer>) -> Result<Answered> {
        match tool {
            FIND => {
                let arguments = Arguments::new(given, &["words"])?;
                Ok(Answered::of(endpoints(arguments.text("words")?.unwrap_or_default())?))
            }
            DESCRIBE => {
                let arguments = Arguments::new(given, &["endpoint"])?;
                let page = page(find(arguments.required_text("endpoint")?)?, WIDTH);
                Ok(Answered::of(anstream::adapter::strip_str(&page).to_string()))
            }
            FETCH => {
                let arguments = Arguments::new(given, &fetch::ARGUMENTS)?;
                let interrupt = async {
                    tokio::select! {
                        () = context.ct.cancelled() => ExitKind::Interrupted,
                        signal = self.interrupt.happened() => signal,
                    }
                };
                let notifier = ProgressNotifier::of(context);
                let fetched =
                    fetch(&self.connected, &self.folder, self.max_requests, &arguments, notifier, interrupt).await?;
                Ok(Answered { text: fetched.text, failure: fetched.failure })
            }
            ROWS => {
                let arguments = Arguments::new(given, &ROWS_ARGUMENTS)?;
                let path = self.folder.resolve(arguments.required_text("file")?)?;
                Ok(Answered::of(read_rows(&path, &arguments, Log::All).await?))
            }
            REPORT => {
                let arguments = Arguments::new(given, &["file"])?;
                let path = self.folder.resolve(arguments.required_text("file")?)?;
                Ok(Answered::of(report(&path, Log::All).await?))
            }
            other => Err(Failure::usage(format!("unknown tool `{other}`"))),
        }
    }
}

impl ServerHandler for AssistantServer {
    fn get_info(&self) -> ServerConfig {
        let program = program();
        let invented = if self.connected.is_sandbox() { SANDBOX } else { "" };
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(program.name, program.version))
            .with_instructions(format!("{INSTRUCTIONS}{invented}"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = Box::pin(self.answer(&request.name, arguments, &context));
        let (answered, lines) = log::kept(within(Notation::Tools, answer)).await;
        Ok(result(answered, &lines).into())
    }
}

/// The answer of a tool, after the lines that its command has printed.
fn result(answered: Result<Answered>, lines: &[String]) -> CallToolResult {
    let (text, failure) = match answered {
        Ok(Answered { text, failure }) => (text, failure),
        Err(failure) => (String::new(), Some(failure)),
    };
    let notes = notes(lines);
    match failure {
        Some(failure) => {
            let text = limited(&format!("error: {failure}\n{notes}{text}"), MAX_TOKENS, ADVICE);
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
        None => {
            CallToolResult::success(vec![ContentBlock::text(limited(&format!("{notes}{text}"), MAX_TOKENS, ADVICE))])
        }
    }
}

/// How to get an answer that is not too long.
const ADVICE: &str = "use more words, fewer series or fewer rows";
