package org.stillwater.vdsm.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.JsonRpcError;

/** Replays the recordings of real hosts, each direction through a decoder of its own. */
class TranscriptTest {
    private static final String FROM_CLIENT = "client -> host";
    private static final String FROM_HOST = "host -> client";

    /** A block of a transcript: who sent it, the size the header line states, and its text. */
    private record Block(String direction, int statedBytes, String text) {}

    private final SegmentPool pool = new SegmentPool(1_000, 10_000);

    @ParameterizedTest
    @ValueSource(strings = {"stomp_session_full.txt", "stomp_heartbeat_timeout.txt"})
    void blocksHoldTheStatedNumberOfBytes(String file) throws IOException {
        for (Block block : blocks(file)) {
            assertThat(block.text().getBytes(UTF_8)).hasSize(block.statedBytes());
        }
    }

    @Test
    void theFullSessionDecodesFromBothSides() throws IOException {
        List<StompFrame> host = decode(FROM_HOST, "stomp_session_full.txt");
        assertThat(host.stream().map(TranscriptTest::summary))
                .containsExactly(
                        "CONNECTED 0",
                        "MESSAGE 7828",
                        "MESSAGE 4985",
                        "MESSAGE 11291",
                        "MESSAGE 470",
                        "MESSAGE 5497",
                        "MESSAGE 315",
                        "MESSAGE 80",
                        "MESSAGE 181",
                        "RECEIPT 0");
        assertThat(host.getFirst().headers())
                .isEqualTo(StompHeaders.of("version", "1.2", "heart-beat", "1500,0"));
        assertThat(host.get(1).headers())
                .isEqualTo(
                        StompHeaders.of(
                                "destination", "jms.topic.vdsm_responses",
                                "content-type", "application/json",
                                "subscription", "5b7c9d1e-2222-4333-8444-0f1a2b3c4d5e",
                                "content-length", "7828"));
        assertThat(kinds(host.subList(1, 9)))
                .containsExactly(
                        "RESULT a0000000-0000-4000-8000-000000000001",
                        "RESULT a0000000-0000-4000-8000-000000000003",
                        "RESULT a0000000-0000-4000-8000-000000000004",
                        "EVENT |virt|VM_status|7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103",
                        "RESULT a0000000-0000-4000-8000-000000000005",
                        "EVENT |virt|VM_status|7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103",
                        "RESULT a0000000-0000-4000-8000-000000000006",
                        "ERROR a0000000-0000-4000-8000-000000000007");
        assertThat(host.getLast().header(StompHeader.RECEIPT_ID))
                .isEqualTo("7d9e1f2a-4444-4555-8666-2b3c4d5e6f70");

        List<StompFrame> client = decode(FROM_CLIENT, "stomp_session_full.txt");
        assertThat(client.stream().map(TranscriptTest::summary))
                .containsExactly(
                        "CONNECT 0",
                        "SUBSCRIBE 0",
                        "SUBSCRIBE 0",
                        "SEND 112",
                        "SEND 105",
                        "SEND 110",
                        "SEND 155",
                        "SEND 148",
                        "SEND 148",
                        "UNSUBSCRIBE 0",
                        "UNSUBSCRIBE 0",
                        "DISCONNECT 0");
        assertThat(kinds(client.subList(3, 9)))
                .containsExactly(
                        "REQUEST Host.getCapabilities",
                        "REQUEST Host.getStats",
                        "REQUEST Host.getAllVmStats",
                        "REQUEST Host.dumpxmls",
                        "REQUEST VM.destroy",
                        "REQUEST VM.destroy");
        // Frames written by this encoder are, byte for byte, what a real client and host sent.
        assertThat(reencoded(client)).isEqualTo(bytes(FROM_CLIENT, "stomp_session_full.txt"));
        assertThat(reencoded(host) + "\n\n")
                .isEqualTo(
                        bytes(FROM_HOST, "stomp_session_full.txt").replace("\0\n\nR", "\0R")
                                + "\n\n");
    }

    @Test
    void theErrorPathsDecode() throws IOException {
        List<StompFrame> host = decode(FROM_HOST, "stomp_errors.txt");
        assertThat(host.stream().filter(f -> f.command().equals("ERROR")).map(f -> f.body().text()))
                .containsExactly(
                        "Version unsupported",
                        "Missing destination or subscription id header",
                        "Subscription id already exists",
                        "Subscription not available");
        assertThat(host.stream().filter(f -> f.command().equals("CONNECTED"))).hasSize(7);
        List<JsonRpcError> errors = new ArrayList<>();
        for (StompFrame frame : host) {
            if (frame.command().equals("MESSAGE")) {
                try (Envelope envelope = Envelope.open(frame.body())) {
                    errors.add(envelope.error());
                }
            }
        }
        assertThat(errors)
                .containsExactly(
                        new JsonRpcError(
                                -32700,
                                "Invalid JSON was received by the server. An error occurred on the"
                                        + " server while parsing the JSON text."),
                        new JsonRpcError(
                                -32601,
                                "The method does not exist or is not available: {'method':"
                                        + " 'Host.noSuchVerb'}"),
                        new JsonRpcError(99, "Recovering from crash or Initializing"));
        List<StompFrame> client = decode(FROM_CLIENT, "stomp_errors.txt");
        assertThat(client.stream().filter(f -> f.command().equals("CONNECT"))).hasSize(11);
        assertThat(client.getFirst().header("accept-version")).isEqualTo("1.0,1.1,1.2");
        assertThat(client.stream().filter(f -> f.command().equals("ACK"))).hasSize(2);
    }

    @Test
    void theHeartBeatTimeoutDecodes() throws IOException {
        StompDecoder decoder = new StompDecoder(StompLimits.DEFAULT, pool);
        List<StompFrame> host = decodeAll(decoder, bytes(FROM_HOST, "stomp_heartbeat_timeout.txt"));
        assertThat(host).hasSize(1);
        assertThat(host.getFirst().header("heart-beat")).isEqualTo("1000,3000");
        assertThat(decoder.heartBeats()).isEqualTo(2);
        assertThat(
                        decode(FROM_CLIENT, "stomp_heartbeat_timeout.txt")
                                .getFirst()
                                .header("heart-beat"))
                .isEqualTo("3000,1000");
    }

    private static String summary(StompFrame frame) {
        return frame.command() + " " + frame.body().length();
    }

    private static List<String> kinds(List<StompFrame> frames) throws IOException {
        List<String> kinds = new ArrayList<>();
        for (StompFrame frame : frames) {
            try (Envelope envelope = Envelope.open(frame.body())) {
                String what = envelope.method() != null ? envelope.method() : envelope.id().text();
                kinds.add(envelope.kind() + " " + what);
                envelope.finish();
            }
        }
        return kinds;
    }

    private static String reencoded(List<StompFrame> frames) {
        StringBuilder text = new StringBuilder();
        frames.forEach(frame -> text.append(new String(StompEncoder.encode(frame), UTF_8)));
        return text.toString();
    }

    private List<StompFrame> decode(String direction, String file) throws IOException {
        return decodeAll(new StompDecoder(StompLimits.DEFAULT, pool), bytes(direction, file));
    }

    private static List<StompFrame> decodeAll(StompDecoder decoder, String text)
            throws IOException {
        ByteBuffer input = ByteBuffer.wrap(text.getBytes(UTF_8));
        List<StompFrame> frames = new ArrayList<>();
        for (StompFrame f = decoder.decode(input); f != null; f = decoder.decode(input)) {
            frames.add(f);
        }
        assertThat(decoder.insideFrame()).isFalse();
        return frames;
    }

    private static String bytes(String direction, String file) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Block block : blocks(file)) {
            if (block.direction().equals(direction)) {
                text.append(block.text());
            }
        }
        return text.toString();
    }

    /**
     * In a recording {@code ^@} is NUL, and each block is followed by one line break for display.
     */
    private static List<Block> blocks(String file) throws IOException {
        String text;
        try (InputStream in = TranscriptTest.class.getResourceAsStream("/vdsm/" + file)) {
            text = new String(in.readAllBytes(), UTF_8);
        }
        List<Block> blocks = new ArrayList<>();
        String[] parts = text.split("(?m)^---- ");
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i];
            String title = part.substring(0, part.indexOf('\n'));
            String body = part.substring(part.indexOf('\n') + 1);
            body = body.replaceAll("(?m)^(\\((connection|host) .*\\)|==== .*)\n", "");
            body =
                    body.startsWith("<heart-beat")
                            ? "\n"
                            : body.substring(0, body.lastIndexOf("^@") + 2).replace("^@", "\0");
            String stated = title.replaceAll(".* (\\d+) bytes.*", "$1");
            blocks.add(
                    new Block(
                            title.startsWith(FROM_CLIENT) ? FROM_CLIENT : FROM_HOST,
                            stated.equals(title) ? -1 : Integer.parseInt(stated),
                            body));
        }
        assertThat(blocks).isNotEmpty();
        return blocks;
    }
}
