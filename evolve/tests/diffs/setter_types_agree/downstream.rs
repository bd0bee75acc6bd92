use generated_client::params::TakesLimit;
use generated_client::Request;

fn main() {}

#[allow(unused)]
fn limited<E: TakesLimit>(request: Request<E>, limit: E::Limit) -> Request<E> {
    request.limit(limit)
}
