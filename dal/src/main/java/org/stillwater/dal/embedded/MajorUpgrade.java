package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.DATA_FOLDER_UNUSABLE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.START_FAILED;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Data of the embedded server on their way to another major version of PostgreSQL: the old server,
 * run by its own programs, and a new one beside it, for a copy from one to the other. {@link
 * #finish} puts the new cluster in place of the old one, which is kept as {@code cluster-VERSION}.
 * Closed before that, it leaves the old cluster as it was.
 *
 * <p>The new cluster gets its final name by two renames. Before the first one it has the name that
 * the next start reads ({@link #complete}), so an end of the program between them loses nothing.
 *
 * <p>Used by one thread; {@link #close} may also come from the program's end.
 */
public final class MajorUpgrade implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(MajorUpgrade.class);
    private static final String CLUSTER = "cluster";
    private static final String WORKING = "upgrade";
    private static final String FILLED = "upgraded";

    private final EmbeddedPostgresSettings settings;
    private final Path working;
    private final Path kept;
    private final EmbeddedPostgres from;
    private final EmbeddedPostgres to;
    private final Thread atEnd = new Thread(this::discard, "embedded-postgres-upgrade");
    private final ReentrantLock lock = new ReentrantLock();
    private boolean ended;

    /**
     * Versions of a data folder that needs an upgrade.
     *
     * @param present major version of its data
     * @param wanted version of this program's server
     */
    public record Need(int present, String wanted) {}

    /**
     * Whether a data folder needs an upgrade. Unpacks this program's server where it was not yet.
     *
     * @return null if its data are of this program's major version, or there are none
     * @throws EmbeddedPostgresException if the data are of a newer version
     */
    public static @Nullable Need need(EmbeddedPostgresSettings settings) {
        try {
            Path cluster = settings.dataFolder().resolve(CLUSTER);
            Integer present = ServerVersion.ofData(cluster);
            if (present == null) {
                return null;
            }
            ServerVersion wanted =
                    ServerVersion.of(ServerBinaries.unpack(settings.binariesFolder()));
            if (present >= wanted.major()) {
                wanted.requireReads(cluster);
                return null;
            }
            return new Need(present, wanted.toString());
        } catch (IOException e) {
            throw unreadable(settings, e);
        }
    }

    /**
     * Refuses data that this program's server cannot read. Unpacks and starts nothing.
     *
     * @param dataFolder of the embedded server; it need not be there
     * @throws EmbeddedPostgresException if the data are of another major version, with the remedy
     * @throws IOException if their version cannot be read
     */
    public static void requireReadable(Path dataFolder) throws IOException {
        new ServerVersion(ServerVersion.BUNDLED_MAJOR, 0).requireReads(dataFolder.resolve(CLUSTER));
    }

    /**
     * Starts the server of data that need an upgrade by their own programs.
     *
     * @param need of {@link #need}
     * @param home of an installed PostgreSQL of that version; null takes the programs that an
     *     earlier Stillwater unpacked
     * @throws EmbeddedPostgresException if there are no such programs, or an engine runs
     */
    public static EmbeddedPostgres startFormer(
            EmbeddedPostgresSettings settings, Need need, @Nullable Path home) {
        try {
            ServerBinaries programs =
                    FormerPrograms.find(settings.binariesFolder(), need.present(), home);
            return EmbeddedPostgres.start(
                    settings.withPort(0), ServerAccount.WAYS_FOR_ROOT, programs);
        } catch (IOException e) {
            throw unreadable(settings, e);
        }
    }

    /**
     * Starts both servers; the new one has an empty database and the passwords of the old one.
     *
     * @throws EmbeddedPostgresException if one does not start; then none runs
     */
    public static MajorUpgrade begin(
            EmbeddedPostgresSettings settings, Need need, @Nullable Path home) {
        Path kept = settings.dataFolder().resolve(CLUSTER + "-" + need.present());
        if (Files.exists(kept)) {
            throw new EmbeddedPostgresException(
                    DATA_FOLDER_UNUSABLE,
                    "The folder " + kept + " of an earlier upgrade is there: move it away.");
        }
        EmbeddedPostgres from = startFormer(settings, need, home);
        @Nullable EmbeddedPostgres to = null;
        try {
            Path working = settings.dataFolder().resolve(WORKING);
            stopLeft(working.resolve(CLUSTER), settings);
            clear(settings);
            prepare(settings.dataFolder(), working);
            to = EmbeddedPostgres.start(settings.withDataFolder(working).withPort(0));
            MajorUpgrade upgrade = new MajorUpgrade(settings, working, kept, from, to);
            Runtime.getRuntime().addShutdownHook(upgrade.atEnd);
            return upgrade;
        } catch (IOException e) {
            throw unreadable(settings, e);
        } finally {
            if (to == null) {
                from.close();
                clear(settings);
            }
        }
    }

    private MajorUpgrade(
            EmbeddedPostgresSettings settings,
            Path working,
            Path kept,
            EmbeddedPostgres from,
            EmbeddedPostgres to) {
        this.settings = settings;
        this.working = working;
        this.kept = kept;
        this.from = from;
        this.to = to;
    }

    /** The server with the data. */
    public EmbeddedPostgres from() {
        return from;
    }

    /** The server that gets them. */
    public EmbeddedPostgres to() {
        return to;
    }

    /** The old cluster's folder once the upgrade is finished. */
    public Path kept() {
        return kept;
    }

    /** Free bytes of the data folder's disk. */
    public long freeBytes() throws IOException {
        return Files.getFileStore(settings.dataFolder()).getUsableSpace();
    }

    /**
     * Stops both servers and puts the new cluster in place of the old one.
     *
     * @throws EmbeddedPostgresException if the folders cannot be renamed; the message names them
     */
    public void finish() {
        lock.lock();
        try {
            if (ended) {
                throw new IllegalStateException("the upgrade has ended");
            }
            stop();
            Path folder = settings.dataFolder();
            Path filled = folder.resolve(FILLED);
            try (DataFolderLock _ = DataFolderLock.take(folder)) {
                Files.move(working, filled, StandardCopyOption.ATOMIC_MOVE);
                Files.move(folder.resolve(CLUSTER), kept, StandardCopyOption.ATOMIC_MOVE);
                complete(folder);
                log.info("The data as they were before are in {}", kept);
            } catch (IOException e) {
                throw new EmbeddedPostgresException(
                        DATA_FOLDER_UNUSABLE,
                        "The new data are in %s and cannot get into their place: %s"
                                .formatted(filled, e),
                        e);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops both servers; without {@link #finish} the new cluster is deleted. Idempotent. */
    @Override
    public void close() {
        discard();
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException _) {
            // the program ends, and the hook has done the same
        }
    }

    private void discard() {
        lock.lock();
        try {
            if (!ended) {
                stop();
                clear(settings);
            }
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        ended = true;
        to.close();
        from.close();
    }

    /**
     * Completes an upgrade that ended between its two renames. The caller holds the folder's lock.
     */
    static void complete(Path folder) throws IOException {
        Path filled = folder.resolve(FILLED);
        Path cluster = folder.resolve(CLUSTER);
        if (Files.exists(filled.resolve(CLUSTER)) && !Files.exists(cluster)) {
            Files.move(filled.resolve(CLUSTER), cluster, StandardCopyOption.ATOMIC_MOVE);
            Trees.deleteQuietly(filled);
        }
    }

    /** The new server's folder, of the same owner, with the passwords of the old one. */
    private static void prepare(Path folder, Path working) throws IOException {
        Files.createDirectory(working);
        for (String each : List.of("password", "owner-password", "engine-password")) {
            Files.copy(
                    folder.resolve(each),
                    working.resolve(each),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path cluster = folder.resolve(CLUSTER);
        if (Trees.uid(working) != Trees.uid(cluster)) {
            Trees.chown(working, Trees.uid(cluster), Trees.gid(cluster));
        }
    }

    /** A killed upgrade leaves its new server running. */
    private static void stopLeft(Path cluster, EmbeddedPostgresSettings settings)
            throws IOException {
        PostmasterPid left = PostmasterPid.read(cluster);
        if (left == null) {
            return;
        }
        ServerProcess process = new ServerProcess(left.pid());
        if (process.serves(cluster) && !process.stop(settings.stopTimeout())) {
            throw new EmbeddedPostgresException(
                    START_FAILED,
                    "The server of an earlier upgrade, process " + left.pid() + ", does not stop.");
        }
    }

    private static void clear(EmbeddedPostgresSettings settings) {
        Trees.deleteQuietly(settings.dataFolder().resolve(WORKING));
        Trees.deleteQuietly(settings.dataFolder().resolve(FILLED));
    }

    private static EmbeddedPostgresException unreadable(
            EmbeddedPostgresSettings settings, IOException e) {
        return new EmbeddedPostgresException(
                DATA_FOLDER_UNUSABLE,
                "Cannot upgrade the data in " + settings.dataFolder() + ": " + e,
                e);
    }
}
