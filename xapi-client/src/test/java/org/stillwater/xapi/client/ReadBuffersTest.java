package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Buffers serve one reader after the other, never two at once. */
class ReadBuffersTest {

    @Test
    @DisplayName("a buffer that was given back is taken once, with the size to which it grew")
    void reuse() {
        ReadBuffers buffers = new ReadBuffers();
        byte[] first = buffers.take();
        assertThat(first).hasSize(ReadBuffers.LEAST_BYTES);
        byte[] grown = new byte[4 * first.length];
        buffers.giveBack(grown);
        assertThat(buffers.take()).isSameAs(grown);
        assertThat(buffers.take()).isNotSameAs(grown).hasSize(ReadBuffers.LEAST_BYTES);
    }

    @Test
    @DisplayName("small buffers, large ones and more than a few are not kept")
    void bounds() {
        ReadBuffers buffers = new ReadBuffers();
        byte[] large = new byte[ReadBuffers.MOST_BYTES + 1];
        buffers.giveBack(new byte[100]);
        buffers.giveBack(large);
        assertThat(buffers.take()).hasSize(ReadBuffers.LEAST_BYTES);
        Set<byte[]> given = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 20; i++) {
            byte[] each = new byte[ReadBuffers.LEAST_BYTES];
            given.add(each);
            buffers.giveBack(each);
        }
        int again = 0;
        for (int i = 0; i < 20; i++) {
            again += given.contains(buffers.take()) ? 1 : 0;
        }
        assertThat(again).isBetween(1, 8);
    }

    @Test
    @DisplayName("a reader does not see the bytes of the reply before it")
    void oldBytes() throws IOException {
        for (int i = 0; i < 50; i++) {
            String text = "x".repeat(i * 37);
            String json = "{\"result\":\"" + text + "\",\"id\":1}";
            assertThat(
                            Replies.read(
                                    XapiEncoding.JSON_RPC,
                                    new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
                                    Decoder.TEXT))
                    .isEqualTo(text);
            String cut = json.substring(0, 5 + i);
            try {
                String read =
                        Replies.read(
                                XapiEncoding.JSON_RPC,
                                new ByteArrayInputStream(cut.getBytes(StandardCharsets.UTF_8)),
                                Decoder.TEXT);
                throw new AssertionError(cut + " was read as " + read);
            } catch (XapiException.Protocol _) {
                // It ends too early, with any bytes behind it.
            }
        }
    }
}
