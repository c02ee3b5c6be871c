package org.stillwater.ovirt.fleet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.Tag;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.ClusterStore.Saved;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.TagStore;

/**
 * Tags, and which VMs and hosts have them, in memory: readers never wait for the database, changes
 * do. {@link #keepOnly} forgets the tags of removed VMs and hosts. Thread-safe.
 */
public final class TagRegistry {

    /** The name of the tag above all others. */
    public static final String ROOT = "root";

    private final TagStore store;
    private volatile State state = new State(Map.of(), Map.of(), Map.of(), 0);

    /**
     * All of it at one moment. Never changed.
     *
     * @param changes how many there were before
     */
    private record State(
            Map<UUID, Tag> tags,
            Map<VmId, Set<UUID>> vms,
            Map<HostId, Set<UUID>> hosts,
            long changes) {

        List<Tag> of(@Nullable Set<UUID> ids) {
            List<Tag> found = new ArrayList<>();
            for (UUID id : ids == null ? Set.<UUID>of() : ids) {
                Tag tag = tags.get(id);
                if (tag != null) {
                    found.add(tag);
                }
            }
            return sorted(found);
        }
    }

    /** Nothing is known before {@link #recover}. */
    public TagRegistry(TagStore store) {
        this.store = store;
    }

    /** Reads the stored tags; once, before all other calls. */
    public synchronized void recover() throws StoreUnavailable {
        TagStore.Kept kept = store.load();
        Map<UUID, Tag> tags = new HashMap<>();
        kept.tags().forEach(tag -> tags.put(tag.id(), tag));
        state = new State(tags, kept.vms(), kept.hosts(), state.changes() + 1);
    }

    private static List<Tag> sorted(Collection<Tag> tags) {
        return tags.stream().sorted(Comparator.comparing(Tag::name)).toList();
    }

    /** Every tag, by name. */
    public List<Tag> tags() {
        return sorted(state.tags().values());
    }

    /** A tag, or null. */
    public @Nullable Tag tag(UUID id) {
        return state.tags().get(id);
    }

    /** The tag of a name, or null. */
    public @Nullable Tag named(String name) {
        return state.tags().values().stream()
                .filter(tag -> tag.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** A VM's tags, by name. */
    public List<Tag> of(VmId vm) {
        State now = state;
        return now.of(now.vms().get(vm));
    }

    /** A host's tags, by name. */
    public List<Tag> of(HostId host) {
        State now = state;
        return now.of(now.hosts().get(host));
    }

    /** Names by which a VM is found: of its tags, and of all above them. */
    public Set<String> words(VmId vm) {
        State now = state;
        return words(now, now.vms().get(vm));
    }

    /** Names by which a host is found: of its tags, and of all above them. */
    public Set<String> words(HostId host) {
        State now = state;
        return words(now, now.hosts().get(host));
    }

    private static Set<String> words(State now, @Nullable Set<UUID> ids) {
        if (ids == null || ids.isEmpty()) {
            return Set.of();
        }
        Set<String> words = new LinkedHashSet<>();
        for (Tag tag : now.of(ids)) {
            Tag at = tag;
            while (at != null && words.add(at.name())) {
                UUID parent = at.parent();
                at = parent == null ? null : now.tags().get(parent);
            }
        }
        words.add(ROOT);
        return words;
    }

    /** Whether a tag is another one, or somewhere below it. */
    public boolean isWithin(UUID tag, UUID other) {
        Map<UUID, Tag> tags = state.tags();
        Tag at = tags.get(tag);
        for (int steps = 0; at != null && steps <= tags.size(); steps++) {
            if (at.id().equals(other)) {
                return true;
            }
            UUID parent = at.parent();
            at = parent == null ? null : tags.get(parent);
        }
        return false;
    }

    /** Grows with every change. */
    public long changes() {
        return state.changes();
    }

    /** Adds a tag or replaces the one of its id; waits for the database. */
    public synchronized Saved save(Tag tag) throws StoreUnavailable {
        Saved saved = store.save(tag);
        if (saved == Saved.SAVED) {
            Map<UUID, Tag> tags = new HashMap<>(state.tags());
            tags.put(tag.id(), tag);
            state = new State(tags, state.vms(), state.hosts(), state.changes() + 1);
        }
        return saved;
    }

    /** Removes a tag with those below it; whether there was one. Waits for the database. */
    public synchronized boolean remove(UUID id) throws StoreUnavailable {
        boolean removed = store.remove(id);
        Map<UUID, Tag> tags = new HashMap<>(state.tags());
        tags.keySet().removeIf(tag -> isWithin(tag, id));
        state =
                new State(
                        tags,
                        within(state.vms(), tags.keySet()),
                        within(state.hosts(), tags.keySet()),
                        state.changes() + 1);
        return removed;
    }

    private static <T> Map<T, Set<UUID>> within(Map<T, Set<UUID>> owners, Set<UUID> tags) {
        Map<T, Set<UUID>> left = new HashMap<>();
        owners.forEach((owner, of) -> {
            Set<UUID> kept = new HashSet<>(of);
            kept.retainAll(tags);
            if (!kept.isEmpty()) {
                left.put(owner, kept);
            }
        });
        return left;
    }

    /** Gives a VM a tag; false if one of them is not there. Waits for the database. */
    public synchronized boolean attach(UUID tag, VmId vm) throws StoreUnavailable {
        boolean attached = store.attach(tag, vm);
        if (attached) {
            ofVms(with(state.vms(), vm, tag));
        }
        return attached;
    }

    /** Gives a host a tag; false if one of them is not there. Waits for the database. */
    public synchronized boolean attach(UUID tag, HostId host) throws StoreUnavailable {
        boolean attached = store.attach(tag, host);
        if (attached) {
            ofHosts(with(state.hosts(), host, tag));
        }
        return attached;
    }

    /** Takes a tag from a VM; false if it had none such. Waits for the database. */
    public synchronized boolean detach(UUID tag, VmId vm) throws StoreUnavailable {
        boolean detached = store.detach(tag, vm);
        ofVms(without(state.vms(), vm, tag));
        return detached;
    }

    /** Takes a tag from a host; false if it had none such. Waits for the database. */
    public synchronized boolean detach(UUID tag, HostId host) throws StoreUnavailable {
        boolean detached = store.detach(tag, host);
        ofHosts(without(state.hosts(), host, tag));
        return detached;
    }

    /** Forgets VMs and hosts that are not there any more. */
    public synchronized void keepOnly(Predicate<VmId> vms, Predicate<HostId> hosts) {
        State now = state;
        if (now.vms().keySet().stream().allMatch(vms)
                && now.hosts().keySet().stream().allMatch(hosts)) {
            return;
        }
        Map<VmId, Set<UUID>> ofVms = new HashMap<>(now.vms());
        ofVms.keySet().removeIf(vms.negate());
        Map<HostId, Set<UUID>> ofHosts = new HashMap<>(now.hosts());
        ofHosts.keySet().removeIf(hosts.negate());
        state = new State(now.tags(), ofVms, ofHosts, now.changes() + 1);
    }

    private void ofVms(Map<VmId, Set<UUID>> vms) {
        state = new State(state.tags(), vms, state.hosts(), state.changes() + 1);
    }

    private void ofHosts(Map<HostId, Set<UUID>> hosts) {
        state = new State(state.tags(), state.vms(), hosts, state.changes() + 1);
    }

    private static <T> Map<T, Set<UUID>> with(Map<T, Set<UUID>> owners, T owner, UUID tag) {
        Map<T, Set<UUID>> next = new HashMap<>(owners);
        Set<UUID> of = new HashSet<>(owners.getOrDefault(owner, Set.of()));
        of.add(tag);
        next.put(owner, of);
        return next;
    }

    private static <T> Map<T, Set<UUID>> without(Map<T, Set<UUID>> owners, T owner, UUID tag) {
        Map<T, Set<UUID>> next = new HashMap<>(owners);
        Set<UUID> of = new HashSet<>(owners.getOrDefault(owner, Set.of()));
        of.remove(tag);
        if (of.isEmpty()) {
            next.remove(owner);
        } else {
            next.put(owner, of);
        }
        return next;
    }
}
