package org.stillwater.core.regression;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The measured object of a series, with the objects that it shares with others.
 *
 * @param name of the object, unique among the owners
 * @param shared dependencies of the object, such as its host, storage domain and cluster; smaller
 *     ones first
 */
public record SeriesOwner(String name, List<Shared> shared) {

    /** Level of a virtual disk. */
    public static final String DISK = "disk";

    /** Level of an interface of a VM or host. */
    public static final String INTERFACE = "interface";

    /** Level of a VM. */
    public static final String VM = "vm";

    /** Level of the path of one host to a storage domain. */
    public static final String STORAGE_PATH = "storage-path";

    /** Level of a host. */
    public static final String HOST = "host";

    /** Level of a storage domain. */
    public static final String STORAGE_DOMAIN = "storage-domain";

    /** Level of a cluster. */
    public static final String CLUSTER = "cluster";

    /**
     * An object that many series depend on.
     *
     * @param level kind of the object, such as {@code host}
     * @param name of the object, unique within its level
     */
    public record Shared(String level, String name) {}

    public SeriesOwner {
        shared = List.copyOf(shared);
        Set<Shared> distinct = new HashSet<>(shared);
        if (distinct.size() != shared.size()) {
            throw new IllegalArgumentException(name + " depends twice on one object");
        }
    }
}
