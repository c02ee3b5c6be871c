package org.stillwater.dal.backup;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The format of a backup. The first line names the format ({@code stillwater-backup 1 plain}, or
 * {@code aes-256-gcm} and a salt); the rest, encrypted or not, is compressed by gzip: the manifest,
 * each table with its rows in COPY's text format, files, and an end with the SHA-256 of everything
 * before it. So a file that was cut or changed is noticed before any of it is used.
 */
final class BackupFile {

    static final int VERSION = 1;

    /** Files of the data folder are keys and certificates, which are small. */
    static final int LARGEST_FILE = 1024 * 1024;

    private static final String NAME = "stillwater-backup";
    private static final String PLAIN = "plain";
    private static final String SEALED = "aes-256-gcm";
    private static final int SALT_BYTES = 16;
    private static final int LONGEST_HEADER = 200;
    private static final int CHUNK = 64 * 1024;
    private static final int LARGEST_MANIFEST = 64 * 1024 * 1024;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private BackupFile() {}

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Receiver of a backup's parts, in their order. */
    interface Visitor {

        /** The beginning. */
        void manifest(BackupManifest manifest) throws Exception;

        /** A table: its rows are read from the stream until its end. */
        void table(BackupManifest.Table table, InputStream rows) throws Exception;

        /** The end of a table, with its content at the time of writing. */
        void tableEnded(BackupManifest.Table table, long rows, long sum) throws Exception;

        /** A file of the data folder. */
        void file(String name, byte[] content) throws Exception;
    }

    // ----------------------------------------------------------------------------------- writing

    /** Writes one; closed before {@link #end()}, it leaves a file that no reader takes. */
    static final class Writer implements AutoCloseable {

        private final DataOutputStream out;
        private final MessageDigest digest = sha256();
        private final DigestOutputStream digested;
        private int tables;
        private long rows;

        Writer(OutputStream raw, @Nullable BackupKey key) throws IOException {
            OutputStream body;
            if (key == null) {
                raw.write(header(PLAIN));
                body = raw;
            } else {
                byte[] salt = new byte[SALT_BYTES];
                new SecureRandom().nextBytes(salt);
                byte[] header = header(SEALED + " " + HexFormat.of().formatHex(salt));
                raw.write(header);
                body = SealedFrames.output(raw, key.of(salt), header);
            }
            digested =
                    new DigestOutputStream(
                            new BufferedOutputStream(new GZIPOutputStream(body, CHUNK), CHUNK),
                            digest);
            out = new DataOutputStream(digested);
        }

        private static byte[] header(String kind) {
            return (NAME + " " + VERSION + " " + kind + "\n").getBytes(StandardCharsets.US_ASCII);
        }

        void manifest(BackupManifest manifest) throws IOException {
            byte[] json = JSON.writeValueAsBytes(manifest);
            out.writeByte('M');
            out.writeInt(json.length);
            out.write(json);
        }

        /** A stream for the rows of a table; {@link #tableEnded} comes next. */
        OutputStream table(BackupManifest.Table table) throws IOException {
            out.writeByte('T');
            out.writeUTF(table.name());
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    for (int at = 0; at < length; at += CHUNK) {
                        int some = Math.min(CHUNK, length - at);
                        out.writeInt(some);
                        out.write(bytes, from + at, some);
                    }
                }
            };
        }

        void tableEnded(long itsRows, long sum) throws IOException {
            out.writeInt(0);
            out.writeLong(itsRows);
            out.writeLong(sum);
            tables++;
            rows += itsRows;
        }

        void file(String name, byte[] content) throws IOException {
            out.writeByte('F');
            out.writeUTF(name);
            out.writeInt(content.length);
            out.write(content);
        }

        void end() throws IOException {
            out.writeByte('E');
            out.writeInt(tables);
            out.writeLong(rows);
            out.flush();
            digested.on(false);
            out.write(digest.digest());
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    // ----------------------------------------------------------------------------------- reading

    /**
     * Reads a whole backup.
     *
     * @throws BackupRefused if it is no backup, of a newer format, damaged, encrypted with another
     *     key, or not encrypted though there is a key
     */
    static void read(InputStream raw, @Nullable BackupKey key, Visitor visitor)
            throws BackupRefused {
        try {
            MessageDigest digest = sha256();
            InputStream body = body(raw, key);
            DigestInputStream digested =
                    new DigestInputStream(
                            new BufferedInputStream(new GZIPInputStream(body, CHUNK), CHUNK),
                            digest);
            read(new DataInputStream(digested), digested, digest, visitor);
            if (body.read() >= 0) {
                throw new BackupRefused("the backup is damaged: bytes follow its end");
            }
        } catch (BackupRefused e) {
            throw e;
        } catch (EOFException e) {
            throw new BackupRefused("the backup is damaged: it ends early", e);
        } catch (IOException | JacksonException e) {
            throw new BackupRefused("the backup cannot be used: " + e.getMessage(), e);
        } catch (Exception e) {
            throw new BackupRefused("the backup cannot be restored: " + e.getMessage(), e);
        }
    }

    private static InputStream body(InputStream raw, @Nullable BackupKey key)
            throws IOException, BackupRefused {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = raw.read(); ; next = raw.read()) {
            if (next < 0 || line.size() > LONGEST_HEADER) {
                throw new BackupRefused("the file is no backup of Stillwater");
            }
            line.write(next);
            if (next == '\n') {
                break;
            }
        }
        String[] words = line.toString(StandardCharsets.US_ASCII).strip().split(" ");
        if (words.length < 3 || !words[0].equals(NAME)) {
            throw new BackupRefused("the file is no backup of Stillwater");
        }
        if (!words[1].equals(Integer.toString(VERSION))) {
            throw new BackupRefused(
                    "the backup has format "
                            + words[1]
                            + ", which this version cannot read: use the version of Stillwater that"
                            + " made it, or a newer one");
        }
        if (words[2].equals(PLAIN)) {
            if (key != null) { // it may be another one in place of the encrypted backup
                throw new BackupRefused(
                        "the backup is not encrypted, so that the key does not prove its origin:"
                                + " use it without --key, or name the encrypted one");
            }
            return raw;
        }
        if (!words[2].equals(SEALED) || words.length != 4) {
            throw new BackupRefused("the backup is encrypted in an unknown way: " + words[2]);
        }
        if (key == null) {
            throw new BackupRefused("the backup is encrypted: name its key file with --key");
        }
        byte[] salt;
        try {
            salt = HexFormat.of().parseHex(words[3]);
        } catch (IllegalArgumentException e) {
            throw new BackupRefused("the backup is damaged: its salt", e);
        }
        return SealedFrames.input(raw, key.of(salt), line.toByteArray());
    }

    private static void read(
            DataInputStream in, DigestInputStream digested, MessageDigest digest, Visitor visitor)
            throws Exception {
        if (in.readByte() != 'M') {
            throw new BackupRefused("the backup is damaged: it has no manifest");
        }
        BackupManifest manifest = JSON.readValue(bytes(in, LARGEST_MANIFEST), BackupManifest.class);
        visitor.manifest(manifest);
        int tables = 0;
        long rows = 0;
        while (true) {
            byte kind = in.readByte();
            switch (kind) {
                case 'T' -> {
                    String name = in.readUTF();
                    if (tables >= manifest.tables().size()
                            || !manifest.tables().get(tables).name().equals(name)) {
                        throw new BackupRefused("the backup is damaged: table " + name);
                    }
                    rows += table(in, manifest.tables().get(tables), visitor);
                    tables++;
                }
                case 'F' -> visitor.file(in.readUTF(), bytes(in, LARGEST_FILE));
                case 'E' -> {
                    if (in.readInt() != tables
                            || in.readLong() != rows
                            || tables != manifest.tables().size()) {
                        throw new BackupRefused("the backup is damaged: tables are missing");
                    }
                    digested.on(false);
                    byte[] expected = digest.digest();
                    if (!MessageDigest.isEqual(expected, in.readNBytes(expected.length))) {
                        throw new BackupRefused("the backup is damaged: its sum is another one");
                    }
                    if (in.read() >= 0) {
                        throw new BackupRefused("the backup is damaged: bytes follow its end");
                    }
                    return;
                }
                default -> throw new BackupRefused("the backup is damaged: part " + kind);
            }
        }
    }

    private static byte[] bytes(DataInputStream in, int most) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > most) {
            throw new IOException("it is damaged: a part of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return bytes;
    }

    private static long table(DataInputStream in, BackupManifest.Table table, Visitor visitor)
            throws Exception {
        RowSum found = new RowSum();
        Chunks chunks = new Chunks(in, found);
        visitor.table(table, chunks);
        chunks.drain();
        long rows = in.readLong();
        long sum = in.readLong();
        if (found.rows() != rows || found.sum() != sum) {
            throw new BackupRefused("the backup is damaged: rows of " + table.name());
        }
        visitor.tableEnded(table, rows, sum);
        return rows;
    }

    /** The rows of one table, up to the chunk of length zero. */
    private static final class Chunks extends InputStream {

        private final DataInputStream in;
        private final RowSum found;
        private int left;
        private boolean ended;

        Chunks(DataInputStream in, RowSum found) {
            this.in = in;
            this.found = found;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (left == 0 && !ended) {
                left = in.readInt();
                if (left < 0 || left > CHUNK) {
                    throw new IOException("it is damaged: a chunk of " + left + " bytes");
                }
                ended = left == 0;
            }
            if (ended) {
                return -1;
            }
            int some = in.read(bytes, from, Math.min(length, left));
            if (some < 0) {
                throw new EOFException();
            }
            left -= some;
            found.add(bytes, from, some);
            return some;
        }

        void drain() throws IOException {
            byte[] buffer = new byte[CHUNK];
            while (read(buffer, 0, buffer.length) >= 0) {
                // the sum is taken on the way
            }
        }
    }
}
