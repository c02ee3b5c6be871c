package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.server.configuration.GivenSettings;

class FolderOwnerTest {

    private static final int ENGINE = 12_345;

    @TempDir Path folder;

    /** A data folder of the engine's user, for a program of root's. */
    private Path data() throws Exception {
        assumeTrue(owner(folder) == 0, "only root gives files away");
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.setAttribute(data, "unix:uid", ENGINE);
        Files.setAttribute(data, "unix:gid", ENGINE);
        return data;
    }

    private static int owner(Path file) throws Exception {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }

    @Test
    void rootsFoldersBelongToTheOwnerOfTheFolderAbove() throws Exception {
        Path data = data();
        Path binaries = data.resolve("postgresql/binaries");
        FolderOwner.make(binaries);
        assertThat(owner(binaries)).isEqualTo(ENGINE);
        assertThat(owner(data.resolve("postgresql"))).isEqualTo(ENGINE);
        assertThat(Files.getAttribute(binaries, "unix:gid")).isEqualTo(ENGINE);
    }

    @Test
    void restoredKeysBelongToTheOwnerOfTheDataFolder() throws Exception {
        Path data = data();
        GivenSettings settings =
                GivenSettings.read(List.of("--stillwater.data-folder=" + data), null);
        byte[] key = "the key".getBytes(StandardCharsets.UTF_8);
        DataFolderFiles.write(settings, Map.of("secrets/keys", key), false);
        DataFolderFiles.write(settings, Map.of("secrets/keys", new byte[1]), true);
        Path keys = data.resolve("secrets/keys");
        assertThat(keys).hasSize(1);
        assertThat(owner(keys)).isEqualTo(ENGINE);
        assertThat(owner(keys.getParent())).isEqualTo(ENGINE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFolderThatIsThereKeepsItsOwner() throws Exception {
        Path kept = Files.createDirectory(data().resolve("kept"));
        FolderOwner.make(kept);
        assertThat(owner(kept)).isZero();
    }

    @Test
    void aFileInThePlaceOfAFolderIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> FolderOwner.make(file))
                .isInstanceOf(FileAlreadyExistsException.class);
    }
}
