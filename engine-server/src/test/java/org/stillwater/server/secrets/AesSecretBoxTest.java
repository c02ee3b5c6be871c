package org.stillwater.server.secrets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;

class AesSecretBoxTest {

    private static final String SECRET = "s3cret of a board: Ünïcödé";

    @TempDir private Path folder;

    private SecretKeyFile own() {
        return SecretKeyFile.find(null, null, folder);
    }

    private static String key(int n) {
        byte[] bytes = new byte[32];
        bytes[31] = (byte) n;
        return Base64.getEncoder().encodeToString(bytes);
    }

    private Path given(String text) throws IOException {
        Path file = folder.resolve("given");
        Path _ = Files.writeString(file, text);
        Path _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private AesSecretBox box(String text) throws IOException {
        return new AesSecretBox(SecretKeyFile.find(given(text), null, folder));
    }

    @Test
    void aSealedSecretOpensInItsContextOnly() throws Exception {
        AesSecretBox box = box(key(1));
        String sealed = box.seal(SECRET, "row 1");
        assertThat(sealed).startsWith("sw1:" + box.newestKey() + ":").isPrintable();
        assertThat(sealed).doesNotContain("s3cret").isNotEqualTo(box.seal(SECRET, "row 1"));
        assertThat(box.open(sealed, "row 1")).isEqualTo(SECRET);
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> box.open(sealed, "row 2"))
                .withMessageContaining("moved to another row");
    }

    @Test
    void everyChangedCharacterIsNoticed() throws Exception {
        AesSecretBox box = box(key(1));
        // Three lengths, so that the base64 ends in no, one and two characters of padding.
        for (String secret : List.of(SECRET, SECRET + "1", SECRET + "12")) {
            String sealed = box.seal(secret, "row");
            for (int i = 0; i < sealed.length(); i++) {
                for (char other : neighbours(sealed.charAt(i))) {
                    String changed = sealed.substring(0, i) + other + sealed.substring(i + 1);
                    assertThatExceptionOfType(SecretBox.Unusable.class)
                            .as("'%s' at %d of %s", other, i, sealed)
                            .isThrownBy(() -> box.open(changed, "row"));
                }
            }
        }
        String sealed = box.seal(SECRET, "row");
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> box.open(sealed.substring(0, 20), "row"));
        assertThatExceptionOfType(SecretBox.Unusable.class).isThrownBy(() -> box.open("", "row"));
    }

    /** Others of base64's alphabet; the first differs in the last bit alone. */
    private static char[] neighbours(char c) {
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        int at = Math.max(0, alphabet.indexOf(c));
        return new char[] {
            alphabet.charAt(at ^ 1), alphabet.charAt(at ^ 2), alphabet.charAt(at ^ 32)
        };
    }

    @Test
    void aMissingKeyIsNamedWithItsFile() throws Exception {
        AesSecretBox first = box(key(1));
        String sealed = first.seal(SECRET, "row");
        AesSecretBox other = box(key(2));
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> other.open(sealed, "row"))
                .withMessageContaining(first.newestKey())
                .withMessageContaining(folder.resolve("given").toString());
        assertThat(other.keyOf(sealed)).isEqualTo(first.newestKey());
    }

    @Test
    void theFirstKeyOfTheFileSealsAndEveryKeyOpens() throws Exception {
        AesSecretBox box = box(key(1));
        String old = box.newestKey();
        String sealed = box.seal(SECRET, "row");
        Path _ = given("# newest first\n" + key(2) + "\n\n" + key(1) + "\n");
        assertThat(box.newestKey()).isEqualTo(old);
        box.reload();
        assertThat(box.names()).hasSize(2).endsWith(old);
        assertThat(box.open(sealed, "row")).isEqualTo(SECRET);
        assertThat(box.keyOf(box.seal(SECRET, "row"))).isEqualTo(box.newestKey()).isNotEqualTo(old);
    }

    @Test
    void aRefusedRotationLeavesTheKeysOfBefore() throws Exception {
        SecretKeyFile file = SecretKeyFile.find(given(key(1)), null, folder);
        AesSecretBox box = new AesSecretBox(file);
        String sealed = box.seal(SECRET, "row");
        StoredSecrets secrets = new StoredSecrets(file, box, new NoSecrets(), (_, _) -> {});
        Path _ = given(key(2) + "\nmistyped\n" + key(1) + "\n");
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> secrets.rotate("admin"))
                .withMessageContaining("line 2");
        assertThat(box.open(sealed, "row")).isEqualTo(SECRET);
        Path _ = given(key(2) + "\n" + key(1) + "\n");
        Path _ =
                Files.setPosixFilePermissions(
                        file.path(), PosixFilePermissions.fromString("rw-r--r--"));
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> secrets.rotate("admin"))
                .withMessageContaining("open to others");
        Files.delete(file.path());
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> secrets.rotate("admin"))
                .withMessageContaining("missing");
        assertThat(box.trouble()).isNull();
        assertThat(box.open(sealed, "row")).isEqualTo(SECRET);
        Path _ = given(key(2) + "\n" + key(1) + "\n");
        assertThat(secrets.rotate("admin").keys()).hasSize(2);
        assertThat(box.open(sealed, "row")).isEqualTo(SECRET);
    }

    /** Nothing is stored. */
    private static final class NoSecrets implements SecretStore {

        @Override
        public Map<String, Integer> byKey() {
            return Map.of();
        }

        @Override
        public Resealed reseal() {
            return new Resealed(0, Map.of());
        }
    }

    @Test
    void whereThereWereNoKeysTheNewestReasonIsKept() throws Exception {
        AesSecretBox box = box("");
        assertThat(box.trouble()).contains("no key");
        Path _ = given("mistyped");
        assertThatExceptionOfType(SecretBox.Unusable.class).isThrownBy(box::reloadOrKeep);
        assertThat(box.trouble()).contains("line 1");
    }

    /** CIFS, exFAT and some volumes of containers. */
    @Test
    void aFileSystemWithoutHardLinksHasAKeyToo() throws Exception {
        List<SecretKeyFile.Linker> without =
                List.of(
                        (_, _) -> {
                            throw new UnsupportedOperationException("no links");
                        },
                        (name, _) -> {
                            throw new FileSystemException(
                                    name.toString(), null, "Operation not permitted");
                        });
        for (SecretKeyFile.Linker linker : without) {
            own().create(linker);
            byte[] made = Files.readAllBytes(own().path());
            assertThat(permissions(own().path())).isEqualTo("rw-------");
            assertThat(new AesSecretBox(own()).trouble()).isNull();
            own().create(linker); // never overwrites
            assertThat(Files.readAllBytes(own().path())).isEqualTo(made);
            try (Stream<Path> files = Files.list(own().path().getParent())) {
                assertThat(files).containsExactly(own().path());
            }
            Files.delete(own().path());
        }
    }

    @Test
    void theEnginesOwnFileIsItsOwnersAlone() throws Exception {
        AesSecretBox box = new AesSecretBox(own());
        assertThat(box.trouble()).contains("secrets/keys is missing");
        assertThatExceptionOfType(SecretBox.Unusable.class)
                .isThrownBy(() -> box.seal(SECRET, "row"));
        box.create();
        assertThat(box.trouble()).isNull();
        assertThat(permissions(own().path())).isEqualTo("rw-------");
        assertThat(permissions(own().path().getParent())).isEqualTo("rwx------");
        String sealed = box.seal(SECRET, "row");
        box.create(); // never overwrites
        assertThat(new AesSecretBox(own()).open(sealed, "row")).isEqualTo(SECRET);
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aFileThatIsGivenIsNeverMade() throws Exception {
        Path absent = folder.resolve("absent");
        AesSecretBox box = new AesSecretBox(SecretKeyFile.find(absent, null, folder));
        box.create();
        assertThat(absent).doesNotExist();
        assertThat(box.trouble()).contains(absent.toString(), "missing");
    }

    @Test
    void aFileThatOthersCanReadIsRefused() throws Exception {
        for (String open : new String[] {"rw-r--r--", "rw--w----", "rw-----w-"}) {
            Path file = given(key(1));
            Path _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertThat(new AesSecretBox(SecretKeyFile.find(file, null, folder)).trouble())
                    .as(open)
                    .contains("open to others", "chmod 600")
                    .doesNotContain(key(1));
        }
        Path group = given(key(1));
        Path _ = Files.setPosixFilePermissions(group, PosixFilePermissions.fromString("r--r-----"));
        assertThat(new AesSecretBox(SecretKeyFile.find(group, null, folder)).trouble()).isNull();
    }

    @Test
    void nonsenseIsRefusedByLineWithoutBeingRepeated() throws Exception {
        assertThat(trouble(key(1) + "\nAAAA-not-a-key\n"))
                .contains("line 2")
                .doesNotContain("AAAA");
        assertThat(trouble("AAAA")).contains("line 1", "32 bytes");
        assertThat(trouble("# nothing\n")).contains("no key");
        assertThat(trouble("")).contains("no key");
    }

    private @Nullable String trouble(String text) throws IOException {
        return box(text).trouble();
    }

    @Test
    void systemdsCredentialComesBeforeTheEnginesOwnFileAndTheSettingBeforeBoth() throws Exception {
        Path credentials = Files.createDirectory(folder.resolve("credentials"));
        assertThat(SecretKeyFile.find(null, credentials, folder).isOwn()).isTrue();
        Path credential = Files.writeString(credentials.resolve(SecretKeyFile.CREDENTIAL), key(1));
        assertThat(SecretKeyFile.find(null, credentials, folder).path()).isEqualTo(credential);
        assertThat(SecretKeyFile.find(null, credentials, folder).isOwn()).isFalse();
        Path given = given(key(2));
        assertThat(SecretKeyFile.find(given, credentials, folder).path()).isEqualTo(given);
    }
}
