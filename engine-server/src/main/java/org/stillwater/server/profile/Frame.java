package org.stillwater.server.profile;

/**
 * A method on a stack.
 *
 * @param type name of the class, nested classes after a dollar sign, without the address that a
 *     hidden class has in its name
 * @param method name of the method
 */
record Frame(String type, String method) {

    /** A frame as the flight recorder names it. */
    static Frame of(String type, String method) {
        int hidden = type.indexOf("0x");
        int lambda = type.indexOf("$$Lambda");
        int end = type.length();
        if (lambda > 0) {
            end = lambda;
        } else if (hidden > 1) {
            end = hidden - 1;
        }
        return new Frame(end == type.length() ? type : type.substring(0, end), method);
    }

    /** The class and its method. */
    String text() {
        return type + "." + method;
    }
}
