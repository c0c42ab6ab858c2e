// Runs one method of a JUnit test: java -cp … OneTest.java CLASS METHOD
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;

public class OneTest {
  public static void main(String[] arguments) throws Exception {
    Result result = new JUnitCore().run(Request.method(Class.forName(arguments[0]), arguments[1]));
    result.getFailures().forEach(failure -> System.err.println(failure.getTrace()));
    System.exit(result.wasSuccessful() ? 0 : 1);
  }
}
