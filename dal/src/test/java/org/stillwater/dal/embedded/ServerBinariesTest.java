package org.stillwater.dal.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each version of the archive has a folder of its own, and a start finds it without reading. */
class ServerBinariesTest {

    private static final String NAME = "postgres.txz";

    @TempDir Path folder;

    @Test
    void eachVersionInAJarHasAHomeOfItsOwn() throws IOException {
        Path first = ServerBinaries.home(inJar("1.jar", "one"), folder);
        assertThat(ServerBinaries.home(inJar("2.jar", "two"), folder)).isNotEqualTo(first);
        assertThat(ServerBinaries.home(inJar("3.jar", "one"), folder)).isEqualTo(first);
        // CRC-32 of the text and its length, as each zip file has them.
        assertThat(first).isEqualTo(folder.resolve("postgresql-7a6c86f100000003"));
    }

    @Test
    void aFileOutsideOfAJarIsRead() throws IOException {
        Path file = Files.writeString(folder.resolve(NAME), "one");
        Path first = ServerBinaries.home(file.toUri().toURL(), folder);
        // Its SHA-256, shortened.
        assertThat(first).isEqualTo(folder.resolve("postgresql-7692c3ad3540bb80"));
        Files.writeString(file, "two");
        assertThat(ServerBinaries.home(file.toUri().toURL(), folder)).isNotEqualTo(first);
    }

    private URL inJar(String jar, String content) throws IOException {
        Path file = folder.resolve(jar);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file))) {
            out.putNextEntry(new JarEntry(NAME));
            out.write(content.getBytes(StandardCharsets.UTF_8));
            out.closeEntry();
        }
        return URI.create("jar:" + file.toUri() + "!/" + NAME).toURL();
    }
}
