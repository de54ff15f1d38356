def run_demo(home, *, once, result_file):
    return 0
