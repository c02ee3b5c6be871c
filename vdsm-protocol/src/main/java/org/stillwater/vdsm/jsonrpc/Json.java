package org.stillwater.vdsm.jsonrpc;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * The one JSON factory for the wire, with limits chosen for it. Thread-safe.
 *
 * <p>The length of a message is bounded by the frame limit, so it is not bounded again here. A text
 * may be a domain XML of a large VM (some 100 KB in practice) or a list of CPU flags; a number is
 * never longer than a double or a 64-bit integer needs, but hosts may be wrong generously. Read
 * buffers are recycled through a bounded pool of its own: the default keeps them per thread, which
 * is useless when every host has a virtual thread.
 */
public final class Json {
    /** Longest text accepted, in characters. */
    public static final int LONGEST_TEXT = 16 << 20;

    /** Most digits of a number accepted. */
    public static final int LONGEST_NUMBER = 1_000;

    /** Deepest nesting accepted; VDSM's deepest message needs about 10. */
    public static final int DEEPEST_NESTING = 100;

    private static final int POOLED_BUFFERS = 64;

    /** Creates parsers and generators. */
    public static final JsonFactory FACTORY = builder().build();

    /**
     * Creates parsers of messages with ids as names, such as the VMs of an event: it keeps no table
     * of names. Each new name would cost a copy of the shared table, which took a sixth of the
     * engine's processor time at 1 000 events a second.
     */
    static final JsonFactory WITHOUT_NAMES =
            builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build();

    private static JsonFactoryBuilder builder() {
        return JsonFactory.builder()
                .streamReadConstraints(
                        StreamReadConstraints.builder()
                                .maxNestingDepth(DEEPEST_NESTING)
                                .maxStringLength(LONGEST_TEXT)
                                .maxNumberLength(LONGEST_NUMBER)
                                .build())
                // Names that are VM ids and addresses would wear out a shared symbol table.
                .disable(TokenStreamFactory.Feature.INTERN_PROPERTY_NAMES)
                .recyclerPool(JsonRecyclerPools.newBoundedPool(POOLED_BUFFERS));
    }

    private Json() {}
}
