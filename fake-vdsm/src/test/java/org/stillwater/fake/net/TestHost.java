package org.stillwater.fake.net;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A host with a few verbs made for tests. */
final class TestHost implements HostEndpoint {

    private final HostName name;

    /** Calls of {@code Test.wait} that wait for the test to answer. */
    final BlockingQueue<RpcReply> waiting = new LinkedBlockingQueue<>();

    /** Verbs called, in order. */
    final BlockingQueue<RpcCall> called = new LinkedBlockingQueue<>();

    TestHost(String name) {
        this.name = new HostName(name);
    }

    @Override
    public HostName name() {
        return name;
    }

    @Override
    public void call(RpcCall call, RpcReply reply) {
        called.add(call);
        switch (call.method()) {
            case "Test.void" -> reply.result(JsonBody.TRUE);
            case "Test.echo" -> reply.result(JsonBody.of(call.params().toString()));
            case "Test.stats" ->
                    reply.result(
                            JsonBody.of(
                                    "{\"status\": \"Up\", \"count\": 7, \"load\": 1.5, \"text\":"
                                            + " \"42\"}"));
            case "Test.big" -> reply.result(big(call.params().get("bytes").intValue()));
            case "Test.wait" -> waiting.add(reply);
            case "Test.bug" -> throw new IllegalStateException("deliberate");
            default ->
                    reply.error(
                            -32601,
                            "The method does not exist or is not available: {'method': '%s'}"
                                    .formatted(call.method()));
        }
    }

    @Override
    public HostEvent freshEvent(String vmId) {
        return event(vmId == null ? "any" : vmId, 0);
    }

    RpcReply nextWaiting() throws InterruptedException {
        RpcReply reply = waiting.poll(20, TimeUnit.SECONDS);
        if (reply == null) {
            throw new AssertionError("no call came");
        }
        return reply;
    }

    static HostEvent event(String vm, long time) {
        return new HostEvent(
                "|virt|VM_status|" + vm,
                JsonBody.of(
                        "{\"jsonrpc\": \"2.0\", \"method\": \"|virt|VM_status|%s\", \"params\": {\"%s\": {\"status\": \"Up\"}, \"notify_time\": %d}}"
                                .formatted(vm, vm, time)));
    }

    /** A JSON string of that many bytes. */
    private static JsonBody big(int bytes) {
        byte[] piece = "x".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
        List<byte[]> chunks = new ArrayList<>();
        chunks.add(new byte[] {'"'});
        int left = bytes - 2;
        for (; left >= piece.length; left -= piece.length) {
            chunks.add(piece);
        }
        chunks.add(Arrays.copyOf(piece, left));
        chunks.add(new byte[] {'"'});
        return JsonBody.ofChunks(chunks);
    }
}
