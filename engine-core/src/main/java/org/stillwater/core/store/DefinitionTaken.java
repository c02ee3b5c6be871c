package org.stillwater.core.store;

/**
 * A definition gives its VM a resource that belongs to another VM of the data centre. The message
 * names the resource in one clause for people.
 */
public final class DefinitionTaken extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    /**
     * Why a VM cannot move to a cluster of another data centre, one clause for people: its name and
     * addresses were unique only in its present data centre.
     *
     * @param dataCentre name of that data centre
     * @param taken the value that belongs to another VM there, one clause
     */
    public static String inOtherDataCentre(String dataCentre, String taken) {
        return "its new cluster is of the data centre %s, where %s".formatted(dataCentre, taken);
    }

    /** A definition that cannot have something. */
    public DefinitionTaken(String reason) {
        super(reason);
    }
}
