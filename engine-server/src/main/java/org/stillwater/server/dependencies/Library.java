package org.stillwater.server.dependencies;

/**
 * One library of a program.
 *
 * @param name Maven's {@code group:artifact}
 * @param version its version
 */
record Library(String name, String version) implements Comparable<Library> {

    @Override
    public int compareTo(Library other) {
        int names = name.compareTo(other.name);
        return names == 0 ? version.compareTo(other.version) : names;
    }

    @Override
    public String toString() {
        return name + ":" + version;
    }
}
