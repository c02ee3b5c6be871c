package org.stillwater.core.definition;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;

/**
 * Architecture of processors: codes of {@code cluster.architecture}. Hosts do not name theirs; it
 * shows in the machine types that they can emulate (protocol specification §3.4).
 */
public enum CpuArchitecture implements Coded {
    X86_64(1),
    PPC64(2),
    S390X(3),
    AARCH64(4);

    private static final Map<Integer, CpuArchitecture> BY_CODE =
            Coded.byCode(CpuArchitecture.class);

    private final int code;

    CpuArchitecture(int code) {
        this.code = code;
    }

    /** The constant with this database code; null, for any, for codes from a newer schema. */
    public static @Nullable CpuArchitecture ofCode(int code) {
        return BY_CODE.get(code);
    }

    /**
     * The architecture that emulates these machine types; null if none of them is known, or if they
     * do not agree.
     */
    public static @Nullable CpuArchitecture emulating(List<String> machines) {
        CpuArchitecture found = null;
        for (String machine : machines) {
            CpuArchitecture next = of(machine);
            if (next != null && found != null && next != found) {
                return null;
            }
            found = next == null ? found : next;
        }
        return found;
    }

    /** By the family, the text before the first hyphen. */
    private static @Nullable CpuArchitecture of(String machine) {
        int hyphen = machine.indexOf('-');
        return switch (hyphen < 0 ? machine : machine.substring(0, hyphen)) {
            case "pc", "q35" -> X86_64;
            case "pseries" -> PPC64;
            case "s390" -> S390X;
            case "virt" -> AARCH64;
            default -> null;
        };
    }

    @Override
    public int code() {
        return code;
    }
}
