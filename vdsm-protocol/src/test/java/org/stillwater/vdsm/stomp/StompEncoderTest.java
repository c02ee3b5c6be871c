package org.stillwater.vdsm.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StompEncoderTest {
    @Test
    void aFrameWithoutBodyHasNoContentLength() {
        byte[] bytes =
                StompEncoder.encode(
                        StompFrame.of(
                                StompCommand.CONNECTED,
                                StompHeaders.of("version", "1.2", "heart-beat", "15000,0")));
        assertThat(new String(bytes, UTF_8))
                .isEqualTo("CONNECTED\nversion:1.2\nheart-beat:15000,0\n\n\0");
    }

    @Test
    @DisplayName("8a.20 content-length is computed in bytes for non-ASCII bodies")
    void contentLengthCountsOctets() {
        byte[] bytes =
                StompEncoder.encode(
                        new StompFrame(
                                "SEND", StompHeaders.of("a", "b"), FrameBody.utf8("\u00e4\u20ac")));
        assertThat(new String(bytes, UTF_8))
                .isEqualTo("SEND\na:b\ncontent-length:5\n\n\u00e4\u20ac\0");
    }

    @Test
    @DisplayName("8a.3 No header value contains an unescaped colon, CR, LF or backslash")
    void headersAreEscaped() {
        byte[] bytes =
                StompEncoder.encode(
                        StompFrame.of("CONNECT", StompHeaders.of("h:k", "fe80::1\r\n\\")));
        assertThat(new String(bytes, UTF_8))
                .isEqualTo("CONNECT\nh\\ck:fe80\\c\\c1\\r\\n\\\\\n\n\0");
    }

    @Test
    void aGivenContentLengthIsNotRepeated() {
        byte[] bytes =
                StompEncoder.encode(
                        new StompFrame(
                                "SEND",
                                StompHeaders.of("content-length", "99"),
                                FrameBody.utf8("x")));
        assertThat(new String(bytes, UTF_8)).isEqualTo("SEND\ncontent-length:99\n\nx\0");
    }

    @Test
    void aLargeBodyCanFollowItsHead() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(StompEncoder.encodeHead("MESSAGE", StompHeaders.of("a", "b"), 3));
        out.write("abc".getBytes(UTF_8));
        out.write(StompEncoder.NUL);
        assertThat(out.toString(UTF_8)).isEqualTo("MESSAGE\na:b\ncontent-length:3\n\nabc\0");
    }
}
