package org.stillwater.dal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.backup.BackupManifest.Table;

class BackupFileTest {

    private static final Table HOSTS =
            new Table("host_static", List.of("host_id", "host_name"), null, null, "");
    private static final Table PART =
            new Table(
                    "vm_samples_1",
                    List.of("at"),
                    "vm_samples",
                    "FOR VALUES FROM ('a') TO ('b')",
                    "fillfactor=70");
    private static final BackupManifest MANIFEST =
            new BackupManifest(
                    Instant.parse("2026-11-20T03:00:00Z"),
                    "1.0",
                    "32",
                    "18.6",
                    true,
                    List.of(HOSTS, PART));

    private static BackupKey key(int seed) {
        byte[] bytes = new byte[32];
        new Random(seed).nextBytes(bytes);
        return new BackupKey(bytes);
    }

    /** A backup with rows of more than one chunk and frame. */
    private static byte[] backup(@Nullable BackupKey key) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Random random = new Random(7);
        try (BackupFile.Writer writer = new BackupFile.Writer(out, key)) {
            writer.manifest(MANIFEST);
            for (Table each : MANIFEST.tables()) {
                RowSum sum = new RowSum();
                try (OutputStream rows = new DatabaseBackup.Summed(writer.table(each), sum)) {
                    for (int row = 0; row < 3_000; row++) {
                        rows.write(
                                "%d\t%x\n"
                                        .formatted(row, random.nextLong())
                                        .getBytes(StandardCharsets.UTF_8));
                    }
                    byte[] large = new byte[200_000];
                    random.nextBytes(large);
                    rows.write(Base64.getEncoder().encode(large), 0, 260_000);
                    rows.write('\n');
                }
                writer.tableEnded(sum.rows(), sum.sum());
            }
            if (key != null) {
                writer.file("secrets/keys", new byte[] {1, 2, 3});
            }
            writer.end();
        }
        return out.toByteArray();
    }

    private static DatabaseBackup.Content read(byte[] bytes, @Nullable BackupKey key)
            throws BackupRefused {
        return DatabaseBackup.verify(new ByteArrayInputStream(bytes), key);
    }

    @Test
    void aWrittenBackupIsReadBack() throws Exception {
        for (BackupKey key : new BackupKey[] {null, key(1)}) {
            DatabaseBackup.Content content = read(backup(key), key);
            assertThat(content.manifest()).isEqualTo(MANIFEST);
            assertThat(content.rows()).isEqualTo(6_002);
            assertThat(content.tables()).isEqualTo(2);
            assertThat(content.files())
                    .containsExactlyElementsOf(key == null ? List.of() : List.of("secrets/keys"));
        }
    }

    @Test
    void aPlainBackupIsRefusedWhereAKeyIsGiven() throws Exception {
        byte[] plain = backup(null);
        assertThatThrownBy(() -> read(plain, key(1)))
                .isInstanceOf(BackupRefused.class)
                .hasMessageContaining("the backup is not encrypted")
                .hasMessageContaining("without --key");
    }

    @Test
    void aFileThatWasCutIsRefused() throws Exception {
        for (BackupKey key : new BackupKey[] {null, key(1)}) {
            byte[] whole = backup(key);
            for (int length : new int[] {0, 5, 30, 60, whole.length / 2, whole.length - 1}) {
                assertThatThrownBy(() -> read(Arrays.copyOf(whole, length), key))
                        .as("%d of %d bytes", length, whole.length)
                        .isInstanceOf(BackupRefused.class);
            }
        }
    }

    @Test
    void aChangedByteIsFoundWhereverItIs() throws Exception {
        BackupKey key = key(1);
        byte[] whole = backup(key);
        for (int at = 0; at < whole.length; at += 997) {
            byte[] changed = whole.clone();
            changed[at] ^= 0x10;
            assertThatThrownBy(() -> read(changed, key))
                    .as("byte %d", at)
                    .isInstanceOf(BackupRefused.class);
        }
        byte[] longer = Arrays.copyOf(whole, whole.length + 1);
        assertThatThrownBy(() -> read(longer, key)).isInstanceOf(BackupRefused.class);
    }

    @Test
    void framesCannotBeExchangedOrLeftOut() throws Exception {
        BackupKey key = key(1);
        byte[] whole = backup(key);
        int header = new String(whole, StandardCharsets.ISO_8859_1).indexOf('\n') + 1;
        int frame = 4 + SealedFrames.FRAME + 16;
        byte[] exchanged = whole.clone();
        System.arraycopy(whole, header, exchanged, header + frame, frame);
        System.arraycopy(whole, header + frame, exchanged, header, frame);
        assertThatThrownBy(() -> read(exchanged, key)).isInstanceOf(BackupRefused.class);

        ByteArrayOutputStream shorter = new ByteArrayOutputStream();
        shorter.write(whole, 0, header);
        shorter.write(whole, header + frame, whole.length - header - frame);
        assertThatThrownBy(() -> read(shorter.toByteArray(), key))
                .isInstanceOf(BackupRefused.class);
    }

    @Test
    void anEncryptedFileNeedsItsKeyAndShowsNothing() throws Exception {
        byte[] sealed = backup(key(1));
        assertThat(new String(sealed, StandardCharsets.ISO_8859_1))
                .startsWith("stillwater-backup 1 aes-256-gcm ")
                .doesNotContain("host_static");
        assertThatThrownBy(() -> read(sealed, null)).hasMessageContaining("--key");
        assertThatThrownBy(() -> read(sealed, key(2)))
                .hasMessageContaining("the key is not the one");
        assertThat(backup(key(1))).as("a salt of its own").isNotEqualTo(sealed);
    }

    @Test
    void otherFilesAndNewerFormatsAreRefusedByName() {
        assertThatThrownBy(() ->
                        read("PK\003\004".repeat(100).getBytes(StandardCharsets.ISO_8859_1), null))
                .hasMessageContaining("no backup of Stillwater");
        assertThatThrownBy(() ->
                        read(
                                "stillwater-backup 2 plain\n".getBytes(StandardCharsets.US_ASCII),
                                null))
                .hasMessageContaining("format 2")
                .hasMessageContaining("or a newer one");
    }

    @Test
    void aKeyFileIsPrivateAndHoldsAKey(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("key");
        String key = Base64.getEncoder().encodeToString(new byte[32]);
        Files.writeString(file, "# comment\n\n" + key + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> BackupKey.read(file)).hasMessageContaining("chmod 600");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(BackupKey.read(file)).isNotNull();
        Files.writeString(file, "too short\n");
        assertThatThrownBy(() -> BackupKey.read(file)).hasMessageContaining("openssl rand");
        assertThatThrownBy(() -> BackupKey.read(folder.resolve("none")))
                .hasMessageContaining("no key file");
    }

    @Test
    void theSumDoesNotDependOnTheOrderAndFindsEachChange() {
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < 500; row++) {
            rows.add(row + "\tname-" + row + "\\n\n");
        }
        long sum = sum(rows);
        List<String> reversed = rows.reversed();
        assertThat(sum(reversed)).isEqualTo(sum);
        rows.set(17, "17\tname-18\\n\n");
        assertThat(sum(rows)).isNotEqualTo(sum);
    }

    private static long sum(List<String> rows) {
        RowSum sum = new RowSum();
        for (String each : rows) {
            byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
            sum.add(bytes, 0, 3);
            sum.add(bytes, 3, bytes.length - 3);
        }
        assertThat(sum.rows()).isEqualTo(rows.size());
        return sum.sum();
    }

    /** Rows that a visitor leaves unread are checked all the same. */
    @Test
    void rowsOfATableAreReadByTheVisitor() throws Exception {
        long[] bytes = new long[1];
        BackupFile.read(
                new ByteArrayInputStream(backup(null)),
                null,
                new BackupFile.Visitor() {
                    @Override
                    public void manifest(BackupManifest manifest) {}

                    @Override
                    public void table(Table table, InputStream rows) throws IOException {
                        bytes[0] += rows.transferTo(OutputStream.nullOutputStream());
                    }

                    @Override
                    public void tableEnded(Table table, long rows, long sum) {
                        assertThat(rows).isEqualTo(3_001);
                    }

                    @Override
                    public void file(String name, byte[] content) {}
                });
        assertThat(bytes[0]).isGreaterThan(520_000);
    }
}
