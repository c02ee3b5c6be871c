package org.stillwater.server.profile;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The paths of calls that samples were taken on, each node once, however many intervals count it. A
 * bounded number of nodes: a path that does not fit ends at its last node that does. Not
 * thread-safe.
 */
final class CallTree {

    private static final int ROOT = 0;

    private final int most;
    private final List<String> names = new ArrayList<>();
    private final List<Integer> parents = new ArrayList<>();
    private Map<Step, Integer> children = new HashMap<>();
    private long cut;

    private record Step(int parent, String name) {}

    /** A tree of at most {@code most} nodes. */
    CallTree(int most) {
        this.most = most;
        names.add("all");
        parents.add(ROOT);
    }

    /** The node at the end of a path, with the outermost name first. */
    int node(List<String> path) {
        int node = ROOT;
        for (String name : path) {
            Step step = new Step(node, name);
            Integer next = children.get(step);
            if (next == null) {
                if (names.size() >= most) {
                    cut++;
                    return node;
                }
                next = names.size();
                names.add(name);
                parents.add(node);
                children.put(step, next);
            }
            node = next;
        }
        return node;
    }

    int size() {
        return names.size();
    }

    boolean isFull() {
        return names.size() >= most;
    }

    /** Paths that were cut because the tree was full. */
    long cut() {
        return cut;
    }

    /**
     * Forgets every node that is on none of these paths.
     *
     * @return new number of each old node, -1 if it is gone
     */
    int[] retain(Collection<Integer> ends) {
        BitSet kept = new BitSet(names.size());
        kept.set(ROOT);
        for (int end : ends) {
            for (int node = end; !kept.get(node); node = parents.get(node)) {
                kept.set(node);
            }
        }
        int[] renamed = new int[names.size()];
        List<String> oldNames = List.copyOf(names);
        List<Integer> oldParents = List.copyOf(parents);
        names.clear();
        parents.clear();
        children = new HashMap<>();
        for (int node = 0; node < renamed.length; node++) {
            if (!kept.get(node)) {
                renamed[node] = -1;
                continue;
            }
            renamed[node] = names.size();
            int parent = renamed[oldParents.get(node)]; // parents are older than their children
            names.add(oldNames.get(node));
            parents.add(parent);
            if (node != ROOT) {
                children.put(new Step(parent, oldNames.get(node)), renamed[node]);
            }
        }
        return renamed;
    }

    /**
     * A node with its samples.
     *
     * @param name a stage at the first level, below it {@code class.method}
     * @param samples samples taken in this method or in one that it calls
     * @param children calls from it, the most frequent first
     */
    record Node(String name, long samples, List<Node> children) {}

    /** The tree of these counts, by the node that each sample was taken in. */
    Node tree(Map<Integer, Long> counts) {
        long[] sums = new long[names.size()];
        for (Map.Entry<Integer, Long> count : counts.entrySet()) {
            sums[count.getKey()] += count.getValue();
        }
        Map<Integer, List<Integer>> below = new HashMap<>();
        for (int node = sums.length - 1; node > ROOT; node--) {
            if (sums[node] > 0) {
                sums[parents.get(node)] += sums[node];
                below.computeIfAbsent(parents.get(node), _ -> new ArrayList<>()).add(node);
            }
        }
        return build(ROOT, sums, below);
    }

    private Node build(int node, long[] sums, Map<Integer, List<Integer>> below) {
        @Nullable List<Integer> calls = below.get(node);
        List<Node> built = new ArrayList<>();
        if (calls != null) {
            calls.sort((a, b) -> Long.compare(sums[b], sums[a]));
            for (int call : calls) {
                built.add(build(call, sums, below));
            }
        }
        return new Node(names.get(node), sums[node], built);
    }
}
