package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a test can see of it: the rest is a power failure. */
class DurableFilesTest {

    @TempDir private Path folder;

    @Test
    void aFileIsReplacedWhole() throws IOException {
        Path file = folder.resolve("file");
        for (String content : new String[] {"first", "second"}) {
            DurableFiles.replace(Files.writeString(folder.resolve("fresh"), content), file);
            assertThat(file).hasContent(content);
            assertThat(folder).isDirectoryNotContaining("glob:**/fresh");
        }
    }

    @Test
    void aFailureLeavesTheFormerContent() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "first");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> DurableFiles.replace(folder.resolve("none"), file));
        assertThat(file).hasContent("first");
    }
}
