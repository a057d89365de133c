import java.util.ArrayList;
import java.util.List;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Runs the Kotlin compiler on several jobs, separated by "--": the first takes most of the time. */
final class CompileKotlin {
  public static void main(String[] arguments) {
    List<String> job = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.equals("--")) {
        run(job);
        job.clear();
      } else {
        job.add(argument);
      }
    }
    run(job);
  }

  private static void run(List<String> job) {
    int code = new K2JVMCompiler().exec(System.err, job.toArray(new String[0])).getCode();
    if (code != 0) {
      System.exit(code);
    }
  }
}
