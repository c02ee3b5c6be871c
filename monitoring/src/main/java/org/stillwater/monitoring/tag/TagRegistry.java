package org.stillwater.monitoring.tag;

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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;

/**
 * Tags, and which VMs and hosts have them, in memory: readers never lock, never wait for the
 * database and allocate nothing for a VM; changes wait for the database. Objects without tags take
 * no memory. Tags that other systems keep are among them; they cannot be changed here. Thread-safe.
 */
public final class TagRegistry {

    /** The name of the tag above all others. */
    public static final String ROOT = "root";

    private static final Comparator<Tag> BY_NAME = Comparator.comparing(Tag::name);

    private final TagStore store;
    private final AtomicLong changes = new AtomicLong();
    private final ForeignTags foreign = new ForeignTags();
    private final SharedTagSets sets = new SharedTagSets();
    private final TaggedObjects<VmId> vms = new TaggedObjects<>(this::set, foreign);
    private final TaggedObjects<HostId> hosts = new TaggedObjects<>(this::set, foreign);
    private volatile Map<UUID, Tag> tags = Map.of();
    private volatile Follower follower = new Follower() {};

    /**
     * Is called after each change of the tags of an object, or of their names; on the thread of the
     * change, without a lock of the registry.
     */
    public interface Follower {

        /** A VM has other tags. */
        default void changed(VmId vm) {}

        /** A host has other tags. */
        default void changed(HostId host) {}
    }

    /** Objects with other tags than before. */
    private record Changed(List<VmId> vms, List<HostId> hosts) {

        static Changed none() {
            return new Changed(List.of(), List.of());
        }

        void tell(Follower follower) {
            vms.forEach(follower::changed);
            hosts.forEach(follower::changed);
        }
    }

    /** Nothing is known before {@link #recover}. */
    public TagRegistry(TagStore store) {
        this.store = store;
    }

    /** Replaces the follower. */
    public void follow(Follower next) {
        follower = next;
    }

    /** Reads the stored tags; once, before all other calls. The follower is not called. */
    public synchronized void recover() throws StoreUnavailable {
        TagStore.Kept kept = store.load();
        Map<UUID, Tag> known = new HashMap<>();
        kept.tags().forEach(tag -> known.put(tag.id(), tag));
        tags = known;
        vms.clear();
        hosts.clear();
        kept.vms().forEach(vms::put);
        kept.hosts().forEach(hosts::put);
        changes.incrementAndGet();
    }

    private static List<Tag> sorted(Collection<Tag> tags) {
        return tags.stream().sorted(BY_NAME).toList();
    }

    /** Every tag, by name. */
    public List<Tag> tags() {
        List<Tag> all = new ArrayList<>(tags.values());
        all.addAll(foreign.used());
        return sorted(all);
    }

    /** How many tags users have made. */
    public int own() {
        return tags.size();
    }

    /** A tag, or null. */
    public @Nullable Tag tag(UUID id) {
        Tag own = tags.get(id);
        return own == null ? foreign.find(id) : own;
    }

    /** The system that keeps a tag and changes it; null for one of users. */
    public @Nullable String source(UUID id) {
        return tags.containsKey(id) ? null : foreign.source(id);
    }

    /** The tag of a name, or null; one of users before one of another system. */
    public @Nullable Tag named(String name) {
        Tag own = named(tags.values(), name);
        return own == null ? named(foreign.used(), name) : own;
    }

    private static @Nullable Tag named(Collection<Tag> all, String name) {
        return all.stream().filter(tag -> tag.name().equals(name)).findFirst().orElse(null);
    }

    /** A VM's tags, by name. */
    public List<Tag> of(VmId vm) {
        return set(vm).tags();
    }

    /** A host's tags, by name. */
    public List<Tag> of(HostId host) {
        return set(host).tags();
    }

    /** A VM's tags. */
    public TagSet set(VmId vm) {
        return vms.of(vm);
    }

    /** A host's tags. */
    public TagSet set(HostId host) {
        return hosts.of(host);
    }

    /** The VMs that have tags; changes with them. */
    public Map<VmId, TagSet> vms() {
        return vms.sets();
    }

    /** The hosts that have tags; changes with them. */
    public Map<HostId, TagSet> hosts() {
        return hosts.sets();
    }

    /** Names by which a VM is found: of its tags, and of all above them. */
    public Set<String> words(VmId vm) {
        return words(set(vm));
    }

    /** Names by which a host is found: of its tags, and of all above them. */
    public Set<String> words(HostId host) {
        return words(set(host));
    }

    private Set<String> words(TagSet set) {
        if (set.tags().isEmpty()) {
            return Set.of();
        }
        Map<UUID, Tag> known = tags;
        Set<String> words = new LinkedHashSet<>();
        for (Tag tag : set.tags()) {
            Tag at = tag;
            while (at != null && words.add(at.name())) {
                UUID parent = at.parent();
                at = parent == null ? null : known.get(parent);
            }
        }
        words.add(ROOT);
        return words;
    }

    /** Whether a tag is another one, or somewhere below it. */
    public boolean isWithin(UUID tag, UUID other) {
        Map<UUID, Tag> known = tags;
        Tag at = tag(tag);
        for (int steps = 0; at != null && steps <= known.size(); steps++) {
            if (at.id().equals(other)) {
                return true;
            }
            UUID parent = at.parent();
            at = parent == null ? null : known.get(parent);
        }
        return false;
    }

    /** Grows with every change. */
    public long changes() {
        return changes.get();
    }

    /** Adds a tag or replaces the one of its id; waits for the database. */
    public Saved save(Tag tag) throws StoreUnavailable {
        Changed changed;
        synchronized (this) {
            Saved saved = store.save(tag);
            if (saved != Saved.SAVED) {
                return saved;
            }
            Map<UUID, Tag> next = new HashMap<>(tags);
            Tag before = next.put(tag.id(), tag);
            tags = next;
            changed = before == null ? Changed.none() : renewed(Set.of(tag.id()));
            changes.incrementAndGet();
            if (before != null && before.name().equals(tag.name())) {
                return saved; // its name is all that readers of VMs and hosts see of it
            }
        }
        changed.tell(follower);
        return Saved.SAVED;
    }

    /** Removes a tag with those below it; whether there was one. Waits for the database. */
    public boolean remove(UUID id) throws StoreUnavailable {
        boolean removed;
        Changed changed;
        synchronized (this) {
            removed = store.remove(id);
            Map<UUID, Tag> next = new HashMap<>(tags);
            Set<UUID> gone = new HashSet<>();
            for (UUID each : tags.keySet()) {
                if (isWithin(each, id)) {
                    gone.add(each);
                }
            }
            next.keySet().removeAll(gone);
            tags = next;
            changed = renewed(gone);
            changes.incrementAndGet();
        }
        changed.tell(follower);
        return removed;
    }

    /**
     * Sets the tags that another system keeps for a VM, named {@code source:word}. Needs no
     * database, but waits for a change that does.
     *
     * @param most different tags of the source at most; others are left out
     * @return whether none was left out
     */
    public boolean told(VmId vm, String source, Collection<String> words, int most) {
        ForeignTags.Next next = told(vms, vm, source, words, most);
        if (next.changed()) {
            follower.changed(vm);
        }
        return next.isComplete();
    }

    /** The same for a host. */
    public boolean told(HostId host, String source, Collection<String> words, int most) {
        ForeignTags.Next next = told(hosts, host, source, words, most);
        if (next.changed()) {
            follower.changed(host);
        }
        return next.isComplete();
    }

    private synchronized <T> ForeignTags.Next told(
            TaggedObjects<T> owners, T owner, String source, Collection<String> words, int most) {
        ForeignTags.Next next = foreign.next(owners.of(owner).ids(), source, words, most);
        if (next.changed()) {
            owners.put(owner, next.ids());
            changes.incrementAndGet();
        }
        return next;
    }

    /** Makes the sets anew that have one of these tags. */
    private Changed renewed(Set<UUID> ids) {
        return new Changed(vms.renew(ids), hosts.renew(ids));
    }

    /** Gives a VM a tag; false if one of them is not there. Waits for the database. */
    public boolean attach(UUID tag, VmId vm) throws StoreUnavailable {
        boolean changed;
        synchronized (this) {
            if (!store.attach(tag, vm)) {
                return false;
            }
            changed = counted(vms.add(vm, tag));
        }
        if (changed) {
            follower.changed(vm);
        }
        return true;
    }

    /** Gives a host a tag; false if one of them is not there. Waits for the database. */
    public boolean attach(UUID tag, HostId host) throws StoreUnavailable {
        boolean changed;
        synchronized (this) {
            if (!store.attach(tag, host)) {
                return false;
            }
            changed = counted(hosts.add(host, tag));
        }
        if (changed) {
            follower.changed(host);
        }
        return true;
    }

    /** Takes a tag from a VM; false if it had none such. Waits for the database. */
    public boolean detach(UUID tag, VmId vm) throws StoreUnavailable {
        boolean detached;
        boolean changed;
        synchronized (this) {
            detached = store.detach(tag, vm);
            changed = counted(vms.take(vm, tag));
        }
        if (changed) {
            follower.changed(vm);
        }
        return detached;
    }

    /** Takes a tag from a host; false if it had none such. Waits for the database. */
    public boolean detach(UUID tag, HostId host) throws StoreUnavailable {
        boolean detached;
        boolean changed;
        synchronized (this) {
            detached = store.detach(tag, host);
            changed = counted(hosts.take(host, tag));
        }
        if (changed) {
            follower.changed(host);
        }
        return detached;
    }

    /** Forgets the tags of a VM that was deleted; the database has deleted them with the VM. */
    public void forget(VmId vm) {
        boolean _ = counted(vms.forget(vm));
    }

    /** Forgets the tags of a host that was deleted; the database has deleted them with the host. */
    public void forget(HostId host) {
        boolean _ = counted(hosts.forget(host));
    }

    private boolean counted(boolean changed) {
        if (changed) {
            changes.incrementAndGet();
        }
        return changed;
    }

    /** The set of these tags that all objects with them share. Under the registry's monitor. */
    private TagSet set(Set<UUID> ids) {
        List<Tag> found = new ArrayList<>(ids.size());
        for (UUID id : ids) {
            Tag tag = tag(id);
            if (tag != null) {
                found.add(tag);
            }
        }
        found.sort(BY_NAME);
        return sets.of(found, vms.sets().values(), hosts.sets().values());
    }
}
