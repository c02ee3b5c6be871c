package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.DATA_FOLDER_UNUSABLE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.NO_UNPRIVILEGED_ACCOUNT;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account of the server. PostgreSQL refuses to run as root, so a root program runs it under
 * another account; an ordinary user runs it as itself. Immutable.
 *
 * <p>Root's server has its own account ({@link ServerUser}), never {@code nobody}: files of that
 * account belong to other services as well. A cluster that an earlier version gave to nobody, or
 * left to root, is handed over while it is stopped; one that belongs to an ordinary user stays with
 * that user.
 *
 * <p>The ways for root, tried in this order until one really runs the server program and writes
 * into the data folder: a plain change of user (needs a data folder that others can reach, so not
 * one below {@code /root}); a change of user that may still pass closed folders (and read files; it
 * may write its own ones only); one that keeps all rights to files (works in default containers); a
 * user namespace without any account, in which the server is nobody and outside of which it has
 * root's id without root's rights.
 *
 * @param way how programs are started as this account
 * @param uid owner of the cluster's files
 * @param gid group of the cluster's files
 * @param root whether the running program may give files away
 */
record ServerAccount(Way way, int uid, int gid, boolean root) {

    private static final Logger log = LoggerFactory.getLogger(ServerAccount.class);

    private static final Duration PROBE_LIMIT = Duration.ofSeconds(20);
    private static final String PROBE =
            "test \"$(id -u)\" -ne 0 && \"$1\" --version >/dev/null && : >\"$2/probe\"";

    /** The ways to run a program as the server's account. */
    enum Way {
        /** As the user that runs the engine. */
        SELF,
        /** {@code setpriv} of util-linux. */
        SET_USER,
        /** {@code chroot --userspec} of coreutils, where there is no setpriv. */
        CHROOT,
        /** {@code setpriv}, keeping CAP_DAC_READ_SEARCH to get to a folder below a closed one. */
        SET_USER_PASSING_FOLDERS,
        /** {@code setpriv}, keeping CAP_DAC_OVERRIDE, where containers withhold the other one. */
        SET_USER_KEEPING_ACCESS,
        /** {@code unshare --user}: root outside, nobody inside; files stay root's. */
        USER_NAMESPACE;

        List<String> prefix(int uid, int gid) {
            return switch (this) {
                case SELF -> List.of();
                case SET_USER ->
                        List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups");
                case CHROOT ->
                        List.of("chroot", "--userspec=" + uid + ":" + gid, "--groups=" + gid, "/");
                case USER_NAMESPACE -> List.of("unshare", "--user");
                case SET_USER_PASSING_FOLDERS -> keeping("dac_read_search", uid, gid);
                case SET_USER_KEEPING_ACCESS -> keeping("dac_override", uid, gid);
            };
        }

        private static List<String> keeping(String capability, int uid, int gid) {
            return List.of(
                    "setpriv",
                    "--reuid=" + uid,
                    "--regid=" + gid,
                    "--clear-groups",
                    "--inh-caps=+" + capability,
                    "--ambient-caps=+" + capability);
        }

        /** Whether it gets to closed folders by a capability, which access(2) disregards. */
        boolean needsOpenBinaries() {
            return this == SET_USER_PASSING_FOLDERS || this == SET_USER_KEEPING_ACCESS;
        }

        boolean keepsRootsFiles() {
            return this == USER_NAMESPACE;
        }
    }

    /** Every way open to root, in order of preference. */
    static final Set<Way> WAYS_FOR_ROOT = EnumSet.complementOf(EnumSet.of(Way.SELF));

    /** The command line that runs {@code command} as this account. */
    List<String> command(List<String> command) {
        List<String> whole = new ArrayList<>(way.prefix(uid, gid));
        whole.addAll(command);
        return whole;
    }

    /** Makes {@code path} and all below it the account's own, where that is needed and possible. */
    void own(Path path) throws IOException {
        if (root && Trees.uid(path) != uid) {
            Trees.chown(path, uid, gid);
        }
    }

    /**
     * Finds the account for a data folder.
     *
     * @param folder the data folder; exists
     * @param cluster the cluster below it; may not exist yet
     * @param user name of the account for a server of root's
     */
    static ServerAccount choose(
            Path folder, Path cluster, ServerBinaries binaries, Set<Way> waysForRoot, String user)
            throws IOException {
        Path probe = Files.createTempDirectory(folder, ".probe-");
        try {
            int self = Trees.uid(probe);
            if (self != 0) {
                return ordinaryUser(cluster, self, Trees.gid(probe));
            }
            Path owned = Files.exists(cluster) ? cluster : folder;
            int owner = Trees.uid(owned);
            ServerUser account =
                    owner == 0 || owner == ServerUser.NOBODY
                            ? ServerUser.obtain(user)
                            : new ServerUser(owner, Trees.gid(owned));
            if (owner == ServerUser.NOBODY) {
                log.info(
                        "PostgreSQL's files in {} change their owner from 'nobody' to the id {}",
                        folder,
                        account.uid());
            }
            List<String> refusals = new ArrayList<>();
            for (Way way : EnumSet.copyOf(waysForRoot)) {
                ServerAccount candidate =
                        way.keepsRootsFiles()
                                ? new ServerAccount(way, 0, 0, true)
                                : new ServerAccount(way, account.uid(), account.gid(), true);
                String refusal = candidate.refusal(binaries, folder, probe);
                if (refusal.isEmpty()) {
                    log.debug("PostgreSQL runs by way of {}", way);
                    return candidate;
                }
                refusals.add(way + ": " + refusal);
            }
            throw new EmbeddedPostgresException(
                    NO_UNPRIVILEGED_ACCOUNT,
                    "PostgreSQL does not run as root, and no way to run it as another account works"
                            + " here ("
                            + String.join("; ", refusals)
                            + "). Start the engine as an ordinary user, choose a data folder that"
                            + " other users can reach, or set spring.datasource.url to a PostgreSQL"
                            + " server.");
        } finally {
            Trees.deleteQuietly(probe);
        }
    }

    private static ServerAccount ordinaryUser(Path cluster, int uid, int gid) throws IOException {
        if (Files.exists(cluster) && Trees.uid(cluster) != uid) {
            throw new EmbeddedPostgresException(
                    DATA_FOLDER_UNUSABLE,
                    "The data folder %s belongs to user id %d, this program runs as %d: run it as its owner or as root,"
                                    .formatted(cluster, Trees.uid(cluster), uid)
                            + " or choose another data folder.");
        }
        return new ServerAccount(Way.SELF, uid, gid, false);
    }

    /** Whether a file or folder is the account's own. */
    boolean owns(Path path) throws IOException {
        return Trees.uid(path) == uid;
    }

    /**
     * Why the server does not run in this way; empty if it does. Root without CAP_CHOWN cannot
     * change the owner of files, so only the way that keeps root's files remains.
     */
    private String refusal(ServerBinaries binaries, Path folder, Path probe) {
        try {
            if (!way.keepsRootsFiles() && Trees.uid(folder) == ServerUser.NOBODY) {
                Trees.chownOne(folder, uid, gid);
            }
            Trees.chown(probe, uid, gid);
            Command.Result result =
                    Command.run(
                            command(
                                    List.of(
                                            "/bin/sh",
                                            "-c",
                                            PROBE,
                                            "probe",
                                            binaries.postgres().toString(),
                                            probe.toString())),
                            PROBE_LIMIT);
            if (result.succeeded()) {
                return "";
            }
            return result.output().isEmpty() ? "exit code " + result.exitCode() : result.output();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
