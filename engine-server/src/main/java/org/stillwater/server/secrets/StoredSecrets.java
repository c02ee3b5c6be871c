package org.stillwater.server.secrets;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.secret.SecretStore;
import org.stillwater.core.secret.SecretStore.Resealed;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Keeps stored secrets encrypted with the newest key: at the start, which also encrypts readable
 * secrets of earlier versions, and on an administrator's request. Thread-safe; one run at a time.
 */
public final class StoredSecrets {

    private static final Logger LOG = LoggerFactory.getLogger(StoredSecrets.class);

    private final SecretKeyFile file;
    private final AesSecretBox box;
    private final SecretStore store;
    private final Told told;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Map<String, Integer> unreadable = Map.of();

    /** Takes audit events. */
    @FunctionalInterface
    public interface Told {
        /** An event with the values of its text. */
        void tell(AuditEvent event, Map<String, String> details);
    }

    /**
     * State of stored secrets.
     *
     * @param keyFile where the keys are
     * @param keys names of its keys, newest first
     * @param stored number of stored secrets by the name of their key
     * @param unreadable number of secrets that cannot be decrypted, by the reason
     * @param encrypted secrets that this run encrypted again
     * @param trouble why there is no key, null if there is one
     */
    public record State(
            String keyFile,
            List<String> keys,
            Map<String, Integer> stored,
            Map<String, Integer> unreadable,
            int encrypted,
            @Nullable String trouble) {}

    /** Nothing is read or written yet. */
    public StoredSecrets(SecretKeyFile file, AesSecretBox box, SecretStore store, Told told) {
        this.file = file;
        this.box = box;
        this.store = store;
        this.told = told;
    }

    /**
     * Makes the engine's own key file if no secret is encrypted yet, and encrypts secrets that are
     * readable or have an older key. Without a key, the engine works without the secrets.
     */
    public void start() throws StoreUnavailable {
        Map<String, Integer> stored = box.trouble() == null ? null : store.byKey();
        if (stored != null && isOnlyReadable(stored)) {
            try {
                box.create();
            } catch (IOException e) {
                LOG.error("The key file {} cannot be made: {}", file.path(), e.toString());
            }
        }
        String trouble = box.trouble();
        if (trouble != null) {
            if (stored != null && !stored.isEmpty()) {
                LOG.error("Stored secrets cannot be decrypted: {}", trouble);
            }
            unreadable = Map.of();
            return;
        }
        if (stored != null && stored.isEmpty()) {
            return; // the key is new, and there is nothing to encrypt
        }
        int encrypted = run("engine");
        if (encrypted > 0) {
            LOG.info("{} stored secrets were encrypted with key {}", encrypted, box.newestKey());
        }
    }

    /** A new key can open nothing, so it is made only where nothing is encrypted. */
    private static boolean isOnlyReadable(Map<String, Integer> stored) {
        return stored.keySet().stream().allMatch(SecretStore.READABLE::equals);
    }

    /**
     * Reads the key file again and encrypts every secret with its newest key.
     *
     * @param user the requester
     * @throws SecretBox.Unusable if the file has no key; no secret was changed then, and the keys
     *     of before stay in use
     * @throws StoreUnavailable if the database does not answer; no secret was changed then
     */
    public State rotate(String user) throws StoreUnavailable {
        box.reloadOrKeep();
        return state(run(user));
    }

    /** Number of secrets that were encrypted again. */
    private int run(String user) throws StoreUnavailable {
        lock.lock();
        try {
            Resealed done = store.reseal();
            Map<String, Integer> before = unreadable;
            unreadable = new TreeMap<>(done.unreadable());
            if (done.changed() > 0) {
                told.tell(
                        AuditEvent.SECRETS_ENCRYPTED,
                        Map.of(
                                "count", Integer.toString(done.changed()),
                                "key", box.newestKey(),
                                "user", user));
            }
            unreadable.forEach((reason, count) -> {
                if (!count.equals(before.get(reason))) {
                    LOG.error("{} stored secrets cannot be decrypted: {}", count, reason);
                    told.tell(
                            AuditEvent.SECRETS_UNREADABLE,
                            Map.of(
                                    "count", Integer.toString(count),
                                    "reason", reason,
                                    "user", user));
                }
            });
            return done.changed();
        } finally {
            lock.unlock();
        }
    }

    /** Present state, from the database. */
    public State state() throws StoreUnavailable {
        return state(0);
    }

    private State state(int encrypted) throws StoreUnavailable {
        return new State(
                file.path().toString(),
                box.names(),
                store.byKey(),
                unreadable,
                encrypted,
                box.trouble());
    }

    /** Trouble that is known without the database; null for none. */
    public @Nullable String trouble() {
        if (!unreadable.isEmpty()) {
            return "stored secrets cannot be decrypted: " + unreadable;
        }
        return box.trouble();
    }
}
