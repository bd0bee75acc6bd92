fn refused(client: &Client) {
    let _ = client.market().latest().history(0..1);
    let _ = client.market().odd().history(0..1);
}
