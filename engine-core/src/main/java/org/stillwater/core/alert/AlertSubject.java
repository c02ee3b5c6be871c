package org.stillwater.core.alert;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;

/**
 * Subject of an alert, with the name that it had at the time: an alert outlives its object.
 *
 * @param kind of the object
 * @param id of the VM, host, storage domain or finding; made from the name of the VM or host and
 *     its own for a disk or interface; of the rule for many objects at once
 * @param name in words
 * @param vm the VM of a disk or interface; null for other objects, and an interface of a host
 * @param host the host of an interface; null for other objects, and an interface of a VM
 */
public record AlertSubject(
        Kind kind, UUID id, String name, @Nullable UUID vm, @Nullable UUID host) {

    /** An object that is no part of a VM or host. */
    public AlertSubject(Kind kind, UUID id, String name) {
        this(kind, id, name, null, null);
    }

    /** The VM that it is or belongs to; null for none. */
    public @Nullable UUID vmOrOwner() {
        return kind == Kind.VM ? id : vm;
    }

    /** The host that it is or belongs to; null for none. */
    public @Nullable UUID hostOrOwner() {
        return kind == Kind.HOST ? id : host;
    }

    /** Kinds of objects. */
    public enum Kind {
        VM("vm"),
        HOST("host"),
        /** A disk of a VM. */
        DISK("disk"),
        /** An interface of a VM or host. */
        INTERFACE("interface"),
        STORAGE_DOMAIN("storage-domain"),
        /** A regression that the engine found. */
        FINDING("finding"),
        /** Many objects of one rule. */
        GROUP("group");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** The word of answers and labels. */
        public String label() {
            return label;
        }

        static Kind of(HistoryMetric.Subject subject) {
            return switch (subject) {
                case VM -> VM;
                case HOST -> HOST;
            };
        }
    }
}
