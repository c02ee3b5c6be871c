package org.stillwater.dal.lock;

/** Another engine, or a program beside it, has this database. */
public final class DatabaseInUse extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Names the holder.
     *
     * @param holder its program, address and begin, as far as known
     */
    public DatabaseInUse(String holder) {
        super(
                "an engine or a program beside it uses this database (%s): stop it first"
                        .formatted(holder));
    }
}
