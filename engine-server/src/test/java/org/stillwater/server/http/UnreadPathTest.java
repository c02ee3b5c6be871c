package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnreadPathTest {

    private static String path(String received) {
        return UnreadPath.of(ByteBuffer.wrap(received.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @ParameterizedTest
    @CsvSource({
        "GET /ovirt-engine/api/vms?search=a, /ovirt-engine/api/vms",
        "GET   /api HTTP/1.1, /api",
        "'\r\n\r\nGET /api?', /api",
        "GET, ''",
        "'GET ', ''",
        "'', ''"
    })
    void thePathEndsBeforeTheQuery(String received, String path) {
        assertThat(path(received.translateEscapes())).isEqualTo(path);
    }

    @Test
    void onlyTheInterfaceIsRead() {
        ByteBuffer received =
                ByteBuffer.wrap(
                        ("GET /" + "a".repeat(1_000)).getBytes(StandardCharsets.ISO_8859_1));
        received.position(7);
        assertThat(UnreadPath.of(received)).hasSize(256).startsWith("/aaa");
        assertThat(received.position()).isEqualTo(7);
    }
}
