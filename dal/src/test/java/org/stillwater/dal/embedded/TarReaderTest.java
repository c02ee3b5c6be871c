package org.stillwater.dal.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarReaderTest {

    @TempDir private Path target;
    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();

    @Test
    void filesFoldersLinksAndLongNamesAreUnpacked() throws IOException {
        String longName = "a/" + "n".repeat(150);
        entry("bin", '5', 0755, "", "");
        entry("bin/tool", '0', 0755, "", "#!/bin/sh\n");
        entry("bin/alias", '2', 0777, "tool", "");
        entry("././@LongLink", 'L', 0644, "", longName + "\0");
        entry(longName.substring(0, 100), '0', 0644, "", "x".repeat(513));
        assertThat(unpack()).isEqualTo(10 + 513);
        assertThat(target.resolve("bin/tool")).isExecutable().hasContent("#!/bin/sh\n");
        assertThat(Files.readSymbolicLink(target.resolve("bin/alias"))).isEqualTo(Path.of("tool"));
        assertThat(target.resolve(longName)).hasSize(513);
        assertThat(Files.isExecutable(target.resolve(longName))).isFalse();
    }

    @Test
    void nothingLeavesTheTarget() throws IOException {
        for (String name : new String[] {"../evil", "/etc/evil", "a/../../evil"}) {
            archive.reset();
            entry(name, '0', 0644, "", "evil");
            assertThatIOException()
                    .isThrownBy(this::unpack)
                    .withMessageContaining("leaves its folder");
        }
        archive.reset();
        entry("link", '2', 0777, "../../etc", "");
        assertThatIOException().isThrownBy(this::unpack).withMessageContaining("leaves its folder");
        archive.reset();
        entry("device", '3', 0644, "", "");
        assertThatIOException().isThrownBy(this::unpack).withMessageContaining("unexpected kind");
    }

    @Test
    void aTruncatedArchiveIsAnError() throws IOException {
        entry("file", '0', 0644, "", "x".repeat(2_000));
        byte[] cut = java.util.Arrays.copyOf(archive.toByteArray(), 1_000);
        assertThatIOException()
                .isThrownBy(() -> new TarReader(new ByteArrayInputStream(cut)).unpackInto(target))
                .withMessageContaining("Truncated");
    }

    @Test
    void somethingElseIsNoArchive() {
        byte[] noise = "noise".repeat(300).getBytes(UTF_8);
        assertThatIOException()
                .isThrownBy(() -> new TarReader(new ByteArrayInputStream(noise)).unpackInto(target))
                .withMessageContaining("Corrupted");
    }

    private long unpack() throws IOException {
        return new TarReader(new ByteArrayInputStream(archive.toByteArray())).unpackInto(target);
    }

    private void entry(String name, char type, int mode, String link, String content) {
        byte[] header = new byte[512];
        byte[] data = content.getBytes(UTF_8);
        put(header, 0, name);
        put(header, 100, "%07o".formatted(mode));
        put(header, 124, "%011o".formatted(data.length));
        header[156] = (byte) type;
        put(header, 157, link);
        put(header, 257, "ustar  ");
        archive.writeBytes(header);
        archive.writeBytes(data);
        archive.writeBytes(new byte[(512 - data.length % 512) % 512]);
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }
}
