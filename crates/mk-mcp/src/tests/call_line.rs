//! Calls of tools are read by a reader of their own, which understands them as rmcp does.

use rmcp::model::{ClientJsonRpcMessage, GetMeta as _};

use crate::transport::call_line::read_call;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Own,
    Rmcp,
}

/// Who reads a line. What we read is what rmcp would have read.
#[track_caller]
fn check(line: &str, expected: Reader) {
    let own = read_call(line.as_bytes());
    let reader = own.as_ref().map_or(Reader::Rmcp, |_| Reader::Own);
    assert_eq!(reader, expected, "{line}");
    if let Some(own) = own {
        let read: ClientJsonRpcMessage = serde_json::from_str(line).unwrap();
        assert_eq!(show(own), show(read), "{line}");
    }
}

/// Everything of a message, what does not go over the wire included.
fn show(message: ClientJsonRpcMessage) -> String {
    let ClientJsonRpcMessage::Request(mut request) = message else {
        panic!("{message:?} is no request");
    };
    let meta = std::mem::take(request.request.get_meta_mut());
    format!("{request:?} {meta:?}")
}

#[test]
fn a_call_is_read_as_rmcp_reads_it() {
    let calls = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a","arguments":null}}"#,
        r#"{"params":{"arguments":{"n":1,"m":-2.5,"k":[{"é":null}]},"name":"a\n"},"method":"tools/call","id":2.0,"jsonrpc":"2.0"}"#,
        r#" {"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"_meta":{"progressToken":7,"x":{}},"name":"a","arguments":{}}} "#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1,"b":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":18446744073709551615,"e":1e300}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"\u0061","_meta":null}}"#,
    ];
    for call in calls {
        check(call, Reader::Own);
    }
}

#[test]
fn what_is_not_plainly_a_call_is_left_to_rmcp() {
    let others = [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a",{},null]}"#,
        r#"["2.0",1,"tools/call",{"name":"a"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","requestState":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"a"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}} {}"#,
    ];
    for other in others {
        check(other, Reader::Rmcp);
    }
}
