package org.stillwater.vdsm.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JsonToken;

class EnvelopeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"result\": [1, {\"id\": 7}]}",
                "{\"result\": [1, {\"id\": 7}], \"id\": \"a\", \"jsonrpc\": \"2.0\"}",
                "{\"result\":[1,{\"id\":7}],\"error\":null,\"x\":{\"y\":[]},\"id\":\"a\"}",
                "{\"error\": null, \"id\": \"a\", \"result\": [1, {\"id\": 7}], \"more\": 5}",
            })
    void membersMayComeInAnyOrder(String json) throws IOException {
        try (Envelope envelope = open(json)) {
            assertThat(envelope.kind()).isEqualTo(Envelope.Kind.RESULT);
            assertThat(envelope.id()).isEqualTo(JsonRpcId.of("a"));
            assertThat(envelope.payload().currentToken()).isEqualTo(JsonToken.START_ARRAY);
            assertThat(envelope.payload().nextToken()).isEqualTo(JsonToken.VALUE_NUMBER_INT);
            envelope.finish();
        }
    }

    @Test
    void aVoidResultIsTrue() throws IOException {
        try (Envelope envelope = open("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":true}")) {
            assertThat(envelope.id()).isEqualTo(new JsonRpcId("5", true));
            assertThat(envelope.payload().currentToken()).isEqualTo(JsonToken.VALUE_TRUE);
            envelope.finish();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"id\":\"a\",\"error\":{\"code\":99,\"message\":\"m\"}} | 99 | m",
                "{\"id\":\"a\",\"error\":{\"code\":\"1\",\"message\":\"m\"}} | 1 | m",
                "{\"id\":\"a\",\"error\":{\"code\":1.0,\"message\":\"m\"}} | 1 | m",
                "{\"id\":\"a\",\"result\":null,\"error\":{\"message\":\"m\",\"code\":7}} | 7 | m",
                "{\"error\":{\"code\":4711,\"message\":\"m\",\"data\":[1]},\"id\":\"a\"} | 4711 |"
                        + " m",
                "{\"result\":{},\"id\":\"a\",\"error\":null} | 0 | none",
            })
    @DisplayName("8a.44 Error without message, or error:null with result, handled")
    void errorsAreReadLeniently(String json, int code, String message) throws IOException {
        try (Envelope envelope = open(json)) {
            assertThat(envelope.id()).isEqualTo(JsonRpcId.of("a"));
            if (message.equals("none")) {
                assertThat(envelope.kind()).isEqualTo(Envelope.Kind.RESULT);
            } else {
                assertThat(envelope.error()).isEqualTo(new JsonRpcError(code, message));
            }
            envelope.finish();
        }
        try (Envelope bare = open("{\"id\":\"a\",\"error\":{\"code\":5}}")) {
            assertThat(bare.error()).isEqualTo(new JsonRpcError(5, ""));
        }
    }

    @Test
    void anEventIsReadWithoutLookingForAnId() throws IOException {
        try (Envelope envelope =
                open("{\"jsonrpc\":\"2.0\",\"method\":\"|virt|VM_status|v\",\"params\":{}}")) {
            assertThat(envelope.kind()).isEqualTo(Envelope.Kind.EVENT);
            assertThat(envelope.payload().currentToken()).isEqualTo(JsonToken.START_OBJECT);
            envelope.finish();
        }
        try (Envelope turned = open("{\"params\":{\"a\":1},\"method\":\"|virt|VM_status|v\"}")) {
            assertThat(turned.kind()).isEqualTo(Envelope.Kind.EVENT);
            assertThat(turned.method()).isEqualTo("|virt|VM_status|v");
            assertThat(turned.payload().currentToken()).isEqualTo(JsonToken.START_OBJECT);
            turned.finish();
        }
    }

    @Test
    void aRequestsIdMayFollowItsParameters() throws IOException {
        byte[] bytes =
                JsonRpcRequest.encode(
                        "r1", "VM.destroy", json -> json.writeStringProperty("vmID", "v"));
        try (Envelope envelope = Envelope.open(FrameBody.of(bytes))) {
            assertThat(envelope.kind()).isEqualTo(Envelope.Kind.REQUEST);
            assertThat(envelope.id()).isEqualTo(JsonRpcId.of("r1"));
            assertThat(envelope.method()).isEqualTo("VM.destroy");
            assertThat(envelope.hasPayload()).isTrue();
            envelope.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "[]",
                "5",
                "{}",
                "{\"id\":\"a\"}",
                "{\"id\":{},\"result\":1}",
                "{\"id\":\"a\",\"error\":5}",
                "{\"method\":7,\"params\":{}}",
                "{\"id\":\"a\",",
            })
    void otherJsonThanEnvelopesIsRefused(String json) {
        assertThatThrownBy(() -> open(json)).isInstanceOf(MalformedEnvelope.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":\"a\",\"result\":[1,2",
                "{\"id\":\"a\",\"result\":[1,2]",
                "{\"id\":\"a\",\"result\":[1,2]]",
                "{\"id\":\"a\",\"result\":[1,2]} x",
                "{\"id\":\"a\",\"result\":[1,2]}{}",
                "{\"id\":\"a\",\"result\":[1,nul]}",
            })
    void mistakesAfterThePayloadAreFound(String json) throws IOException {
        try (Envelope envelope = open(json)) {
            assertThatThrownBy(envelope::finish).isInstanceOf(MalformedEnvelope.class);
        }
    }

    @Test
    @DisplayName("8a.33 Every request has a unique UUID id; never null, never missing")
    void idsAreUnique() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(JsonRpcRequest.newId());
        }
        assertThat(ids).hasSize(1_000).allMatch(id -> id.matches("[0-9a-f-]{36}"));
    }

    @ParameterizedTest
    @CsvSource({
        "|virt|VM_status|0e6f, virt, VM_status, 0e6f",
        "|net|host_conn|no_id, net, host_conn, no_id",
        "host1|jobs|status|a|b, jobs, status, a|b",
        "|||, '', '', ''",
    })
    @DisplayName("8a.50 Event name with four fields is split on |")
    void eventNamesAreSplitInFour(String name, String component, String operation, String id) {
        assertThat(EventName.parse(name)).isEqualTo(new EventName(component, operation, id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "VM_status", "|virt", "|virt|VM_status"})
    void otherNamesAreNoEventNames(String name) {
        assertThat(EventName.parse(name)).isNull();
    }

    @Test
    void anEventAboutAnotherVmTakesLittleMemory() throws IOException {
        long most = 24 * 1024; // a copy of a table of names with some thousand ids is much larger
        for (int warmUp = 0; warmUp < 3_000; warmUp++) {
            readEvent(warmUp);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        int events = 1_000;
        for (int event = 0; event < events; event++) {
            readEvent(3_000 + event);
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / events;
        assertThat(each).isLessThan(most);
    }

    private static void readEvent(int number) throws IOException {
        String vm = new UUID(number, number).toString();
        String json =
                "{\"jsonrpc\": \"2.0\", \"method\": \"|virt|VM_status|%s\", \"params\": {\"%s\": {\"status\": \"Paused\"}, \"notify_time\": 7}}"
                        .formatted(vm, vm);
        try (Envelope event =
                Envelope.openWithIds(FrameBody.of(json.getBytes(StandardCharsets.UTF_8)))) {
            assertThat(event.kind()).isEqualTo(Envelope.Kind.EVENT);
            assertThat(event.payload().nextName()).isEqualTo(vm);
            assertThat(event.payload().nextToken()).isEqualTo(JsonToken.START_OBJECT);
            event.payload().skipChildren();
            assertThat(event.payload().nextName()).isEqualTo("notify_time");
            event.finish();
        }
    }

    private static Envelope open(String json) throws MalformedEnvelope {
        return Envelope.open(FrameBody.utf8(json));
    }
}
