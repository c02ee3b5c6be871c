package org.stillwater.guest;

import java.util.Arrays;
import java.util.stream.Collectors;

/** File operation of a cell of the matrix. */
enum DiskOperation {
    SEQUENTIAL_READ("sequential-read", "read", false, false),
    SEQUENTIAL_WRITE("sequential-write", "write", true, false),
    RANDOM_READ("random-read", "randread", false, true),
    RANDOM_WRITE("random-write", "randwrite", true, true);

    private final String label;
    private final String fioName;
    private final boolean writing;
    private final boolean random;

    DiskOperation(String label, String fioName, boolean writing, boolean random) {
        this.label = label;
        this.fioName = fioName;
        this.writing = writing;
        this.random = random;
    }

    String label() {
        return label;
    }

    /** As fio's option rw names it. */
    String fioName() {
        return fioName;
    }

    boolean writing() {
        return writing;
    }

    boolean random() {
        return random;
    }

    /**
     * The operation of a label.
     *
     * @throws WrongUsage if there is none
     */
    static DiskOperation of(String label) throws WrongUsage {
        for (DiskOperation operation : values()) {
            if (operation.label.equals(label)) {
                return operation;
            }
        }
        throw new WrongUsage(
                "there is no operation "
                        + label
                        + "; there are: "
                        + Arrays.stream(values())
                                .map(DiskOperation::label)
                                .collect(Collectors.joining(", ")));
    }
}
